"""What a release says of itself: its parts in the form of SPDX 2.3, and how it was made in that of SLSA 1."""
import datetime
import hashlib
import json
import os
import re

NONE = "NOASSERTION"


def to_bytes(tree):
    return (json.dumps(tree, indent=1, ensure_ascii=False) + "\n").encode()


def hash_of(release, name):
    with open(os.path.join(release.output, name), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def time_of(release):
    return datetime.datetime.fromtimestamp(release.epoch, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")


def identifier(*words):
    return "SPDXRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", "-".join(words)).strip("-")


def package(name, spdx_id, **more):
    return {"name": name, "SPDXID": spdx_id, "versionInfo": NONE, "downloadLocation": NONE, "filesAnalyzed": False,
            "licenseConcluded": NONE, "licenseDeclared": NONE, "copyrightText": NONE, **more}


def purl(name, version=""):
    """The address of a Debian package in a list of parts."""
    return f"pkg:deb/debian/{name}" + (f"@{version.replace('+', '%2B')}" if version else "")


def reference(locator):
    return [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}]


def artefact_package(release, artefact):
    return package(artefact.name, identifier("File", artefact.name), versionInfo=release.version,
                   packageFileName=artefact.name, downloadLocation=f"{release.options.address}/{artefact.name}",
                   checksums=[{"algorithm": "SHA256", "checksumValue": hash_of(release, artefact.name)}],
                   licenseConcluded="Apache-2.0", licenseDeclared="Apache-2.0")


def part_package(part):
    """A library that is linked in. Two builds may have the same version of it from different files."""
    found = package(part["name"], identifier("Part", part["name"], part["version"], part["sha256"][:8]),
                    versionInfo=part["version"] or NONE, licenseConcluded=part["licence"], licenseDeclared=part["licence"],
                    externalRefs=reference(purl(part["package"], part["version"])))
    if part["sha256"]:
        found["comment"] = f"{part['file']}, SHA-256 {part['sha256']}"
    return found


def need_package(need):
    name = re.match(r"[^ (|]+", need).group(0)
    return package(name, identifier("Debian", name), comment=f"Depends: {need}", externalRefs=reference(purl(name)))


def relation(one, kind, other):
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def write_parts(release):
    packages, relations = {}, []
    for artefact in release.artefacts:
        here = artefact_package(release, artefact)
        packages[here["SPDXID"]] = here
        relations.append(relation("SPDXRef-DOCUMENT", "DESCRIBES", here["SPDXID"]))
        for kind, found in ([("STATIC_LINK", part_package(p)) for p in artefact.parts]
                            + [("DEPENDS_ON", need_package(n)) for n in artefact.needs]):
            packages[found["SPDXID"]] = found
            relations.append(relation(here["SPDXID"], kind, found["SPDXID"]))
    tree = {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"onnxc-{release.version}",
            "creationInfo": {"created": time_of(release), "creators": ["Organization: onnxc", "Tool: release.py"]},
            "packages": list(packages.values()), "relationships": relations}
    # The name of the list: another for other contents.
    digest = hashlib.sha256(to_bytes(tree)).hexdigest()
    tree["documentNamespace"] = f"{release.options.address}/parts-{digest[:32]}"
    with open(os.path.join(release.output, f"onnxc-{release.version}.spdx.json"), "wb") as file:
        file.write(to_bytes(tree))


def materials(release, commit):
    """What the release was made of: the sources, the files of the builds, the libraries in them."""
    yield {"uri": f"git+{release.options.homepage}@{commit}", "digest": {"gitCommit": commit}}
    for name, digest in release.inputs.items():
        yield {"name": name, "digest": {"sha256": digest}}
    seen = set()
    for artefact in release.artefacts:
        for part in artefact.parts:
            key = (part["name"], part["version"], part["sha256"])
            if key not in seen:
                seen.add(key)
                yield {"name": part["file"] or part["name"], "uri": purl(part["package"], part["version"]),
                       **({"digest": {"sha256": part["sha256"]}} if part["sha256"] else {})}


def write_provenance(release, commit, changed):
    name = f"onnxc-{release.version}.provenance.json"
    subjects = sorted(n for n in os.listdir(release.output) if os.path.isfile(os.path.join(release.output, n)))
    definition = {"buildType": f"{release.options.homepage}/compiler/cmake/packaging/release",
                  "externalParameters": {"version": release.version, "address": release.options.address,
                                         "folders": [os.path.basename(os.path.abspath(f)) for f in release.options.folders]},
                  "internalParameters": {"SOURCE_DATE_EPOCH": release.epoch, "changedSinceCommit": changed},
                  "resolvedDependencies": list(materials(release, commit))}
    # The two type names are those that the formats prescribe.
    statement = {"_type": "https://in-toto.io/Statement/v1",
                 "subject": [{"name": n, "digest": {"sha256": hash_of(release, n)}} for n in subjects],
                 "predicateType": "https://slsa.dev/provenance/v1",
                 "predicate": {"buildDefinition": definition,
                               "runDetails": {"builder": {"id": release.options.builder}}}}
    with open(os.path.join(release.output, name), "wb") as file:
        file.write(to_bytes(statement))
