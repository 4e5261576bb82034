#!/usr/bin/env bash
# One name that the system does not have keeps nothing else from being installed, and is listed with the reason.
. "$(dirname "$0")/check.sh"
. "$source_dir/tests/packages.sh"

mkdir bin
cat >bin/apt-get <<'END'
#!/bin/sh
[ "$1" = install ] || exit 0
case " $* " in *" broken "*) echo "E: broken depends on nothing"; exit 100 ;; esac
for word in "$@"; do case $word in -* | install) ;; *) echo "$word" >>installed ;; esac; done
END
printf '#!/bin/sh\nshift\nexec "$@"\n' >bin/sudo
cat >bin/apt-cache <<'END'
#!/bin/sh
[ "$2" != absent ] && echo "  Candidate: 1.0" || echo "  Candidate: (none)"
END
cat >bin/dpkg-query <<'END'
#!/bin/sh
for name in "$@"; do :; done
grep -qx "$name" installed && echo "install ok installed"
END
chmod +x bin/*
PATH=$PWD/bin:$PATH
echo present >installed
install_packages present absent one broken two 2>log
check "the others are installed" [ "$(sort installed | tr '\n' ' ')" = "one present two " ]
check "those that are not are listed with the reason" [ "$(skipped_packages)" = "packages that are not installed:
  absent: no such package here
  broken: E: broken depends on nothing" ]
PACKAGES_SKIPPED=""
install_packages one two 2>log
check "nothing is missing" [ -z "$(skipped_packages)" ]
finish
