// The names that generated code must not use, because they are keywords or macros.
//
// Three kinds: keywords of C23 and C++26; macros that the headers of C, C++ and POSIX, and the
// compilers themselves, define on Linux, with some of other platforms; names of the C library,
// which a namespace cannot hide. The script test reserved_names compares this list with the macros
// of the installed compilers and prints the missing ones.
#include "compiler/interface/names.hpp"

#include <algorithm>
#include <array>

namespace onnxc {
namespace {

// Headers of C and POSIX reserve all names NAME_UPPER with these prefixes (POSIX.1, 2.2.2).
constexpr std::array<std::string_view, 89> kFamilies = {
    // clang-format off
    "ABDAY", "ABMON", "ADJ", "AF", "AI", "ALTMON", "AT", "ATOMIC", "BUS", "CLD", "CLOCK", "CLONE",
    "CMSG", "CPU", "DBL", "DEC128", "DEC32", "DEC64", "DN", "DT", "EAI", "F", "FALLOC", "FD", "FE",
    "FLT", "FNM", "FP", "FPE", "FTW", "GLOB", "IFF", "ILL", "IN", "IN6", "INADDR", "INT", "IP",
    "IPC", "IPPROTO", "IPV6", "L", "LC", "LDBL", "LOCK", "LOG", "M", "MADV", "MAP", "MCAST", "MM",
    "MOD", "MON", "MSG", "NI", "NL", "O", "PF", "POLL", "POSIX", "PROT", "PTHREAD", "RE", "REG",
    "RLIMIT", "RTLD", "RWF", "RWH", "S", "SA", "SCHED", "SCM", "SEGV", "SEM", "SHM", "SI", "SIG",
    "SO", "SOCK", "SOL", "ST", "STA", "STATX", "SYS", "TCP", "TCPI", "TCPOPT", "TH", "UINT"
    // clang-format on
};

// All others, sorted.
constexpr std::array<std::string_view, 1482> kNames = {
    // clang-format off
    "ABDAY_1", "ABDAY_2", "ABDAY_3", "ABDAY_4", "ABDAY_5", "ABDAY_6", "ABDAY_7", "ABMON_1",
    "ABMON_10", "ABMON_11", "ABMON_12", "ABMON_2", "ABMON_3", "ABMON_4", "ABMON_5", "ABMON_6",
    "ABMON_7", "ABMON_8", "ABMON_9", "ACCESSPERMS", "ACCOUNTING", "AIO_ALLDONE", "AIO_CANCELED",
    "AIO_NOTCANCELED", "AIO_PRIO_DELTA_MAX", "ALLPERMS", "ALTMON_1", "ALTMON_10", "ALTMON_11",
    "ALTMON_12", "ALTMON_2", "ALTMON_3", "ALTMON_4", "ALTMON_5", "ALTMON_6", "ALTMON_7", "ALTMON_8",
    "ALTMON_9", "ALT_DIGITS", "AM_STR", "AREGTYPE", "B0", "B1000000", "B110", "B115200", "B1152000",
    "B1200", "B134", "B150", "B1500000", "B1800", "B19200", "B200", "B2000000", "B230400", "B2400",
    "B2500000", "B300", "B3000000", "B3500000", "B38400", "B4000000", "B460800", "B4800", "B50",
    "B500000", "B57600", "B576000", "B600", "B75", "B921600", "B9600", "BC_BASE_MAX", "BC_DIM_MAX",
    "BC_SCALE_MAX", "BC_STRING_MAX", "BIG_ENDIAN", "BLKTYPE", "BOOL_MAX", "BOOL_WIDTH", "BOOT_TIME",
    "BRKINT", "BS0", "BS1", "BSDLY", "BUFSIZ", "BYTE_ORDER", "CBAUD", "CBAUDEX", "CBRK", "CCEQ",
    "CDISCARD", "CDSUSP", "CEOF", "CEOL", "CEOT", "CERASE", "CFLUSH", "CHARCLASS_NAME_MAX",
    "CHAR_BIT", "CHAR_MAX", "CHAR_MIN", "CHAR_WIDTH", "CHRTYPE", "CIBAUD", "CINTR", "CKILL",
    "CLNEXT", "CLOCAL", "CLOCKS_PER_SEC", "CLOSE_RANGE_CLOEXEC", "CLOSE_RANGE_UNSHARE", "CMIN",
    "CMPLX", "CMPLXF", "CMPLXF128", "CMPLXF32", "CMPLXF32X", "CMPLXF64", "CMPLXF64X", "CMPLXL",
    "CMSPAR", "CODESET", "COLL_WEIGHTS_MAX", "CONTTYPE", "CQUIT", "CR0", "CR1", "CR2", "CR3",
    "CRDLY", "CREAD", "CREPRINT", "CRNCYSTR", "CRPRNT", "CRTSCTS", "CS5", "CS6", "CS7", "CS8",
    "CSIGNAL", "CSIZE", "CSTART", "CSTATUS", "CSTOP", "CSTOPB", "CSUSP", "CTIME", "CTRL",
    "CURRENCY_SYMBOL", "CWERASE", "C_IRGRP", "C_IROTH", "C_IRUSR", "C_ISBLK", "C_ISCHR", "C_ISCTG",
    "C_ISDIR", "C_ISFIFO", "C_ISGID", "C_ISLNK", "C_ISREG", "C_ISSOCK", "C_ISUID", "C_ISVTX",
    "C_IWGRP", "C_IWOTH", "C_IWUSR", "C_IXGRP", "C_IXOTH", "C_IXUSR", "DAY_1", "DAY_2", "DAY_3",
    "DAY_4", "DAY_5", "DAY_6", "DAY_7", "DEAD_PROCESS", "DECIMAL_DIG", "DECIMAL_POINT",
    "DEC_EVAL_METHOD", "DEC_INFINITY", "DEC_NAN", "DEFFILEMODE", "DELAYTIMER_MAX", "DIRTYPE",
    "DLFO_EH_SEGMENT_TYPE", "DLFO_STRUCT_HAS_EH_COUNT", "DLFO_STRUCT_HAS_EH_DBASE", "DL_CALL_FCT",
    "DOMAIN", "DTTOIF", "D_FMT", "D_T_FMT", "E2BIG", "EACCES", "EADDRINUSE", "EADDRNOTAVAIL",
    "EADV", "EAFNOSUPPORT", "EAGAIN", "EALREADY", "EBADE", "EBADF", "EBADFD", "EBADMSG", "EBADR",
    "EBADRQC", "EBADSLT", "EBFONT", "EBUSY", "ECANCELED", "ECHILD", "ECHO", "ECHOCTL", "ECHOE",
    "ECHOK", "ECHOKE", "ECHONL", "ECHOPRT", "ECHRNG", "ECOMM", "ECONNABORTED", "ECONNREFUSED",
    "ECONNRESET", "EDEADLK", "EDEADLOCK", "EDESTADDRREQ", "EDOM", "EDOTDOT", "EDQUOT", "EEXIST",
    "EFAULT", "EFBIG", "EHOSTDOWN", "EHOSTUNREACH", "EHWPOISON", "EIDRM", "EILSEQ", "EINPROGRESS",
    "EINTR", "EINVAL", "EIO", "EISCONN", "EISDIR", "EISNAM", "EKEYEXPIRED", "EKEYREJECTED",
    "EKEYREVOKED", "EL2HLT", "EL2NSYNC", "EL3HLT", "EL3RST", "ELIBACC", "ELIBBAD", "ELIBEXEC",
    "ELIBMAX", "ELIBSCN", "ELNRNG", "ELOOP", "EMEDIUMTYPE", "EMFILE", "EMLINK", "EMPTY", "EMSGSIZE",
    "EMULTIHOP", "ENAMETOOLONG", "ENAVAIL", "ENETDOWN", "ENETRESET", "ENETUNREACH", "ENFILE",
    "ENOANO", "ENOBUFS", "ENOCSI", "ENODATA", "ENODEV", "ENOENT", "ENOEXEC", "ENOKEY", "ENOLCK",
    "ENOLINK", "ENOMEDIUM", "ENOMEM", "ENOMSG", "ENONET", "ENOPKG", "ENOPROTOOPT", "ENOSPC",
    "ENOSR", "ENOSTR", "ENOSYS", "ENOTBLK", "ENOTCONN", "ENOTDIR", "ENOTEMPTY", "ENOTNAM",
    "ENOTRECOVERABLE", "ENOTSOCK", "ENOTSUP", "ENOTTY", "ENOTUNIQ", "ENXIO", "EOF", "EOPNOTSUPP",
    "EOVERFLOW", "EOWNERDEAD", "EPERM", "EPFNOSUPPORT", "EPIPE", "EPROTO", "EPROTONOSUPPORT",
    "EPROTOTYPE", "ERA", "ERANGE", "ERA_D_FMT", "ERA_D_T_FMT", "ERA_T_FMT", "ERA_YEAR", "EREMCHG",
    "EREMOTE", "EREMOTEIO", "ERESTART", "ERFKILL", "EROFS", "ESHUTDOWN", "ESOCKTNOSUPPORT",
    "ESPIPE", "ESRCH", "ESRMNT", "ESTALE", "ESTRPIPE", "ETIME", "ETIMEDOUT", "ETOOMANYREFS",
    "ETXTBSY", "EUCLEAN", "EUNATCH", "EUSERS", "EWOULDBLOCK", "EXDEV", "EXFULL", "EXIT_FAILURE",
    "EXIT_SUCCESS", "EXPR_NEST_MAX", "EXTA", "EXTB", "EXTPROC", "FALSE", "FAPPEND", "FASYNC", "FF0",
    "FF1", "FFDLY", "FFSYNC", "FIFOTYPE", "FILE", "FILENAME_MAX", "FIOGETOWN", "FIOSETOWN",
    "FLUSHO", "FNDELAY", "FNONBLOCK", "FOPEN_MAX", "FRAC_DIGITS", "FTW_D", "FTW_F", "F_OK",
    "GAI_NOWAIT", "GAI_WAIT", "GETALL", "GETNCNT", "GETPID", "GETVAL", "GETZCNT", "GROUPING",
    "GROUP_FILTER_SIZE", "HOST_NAME_MAX", "HOST_NOT_FOUND", "HUGE_VAL", "HUGE_VALF", "HUGE_VALL",
    "HUGE_VAL_F128", "HUGE_VAL_F32", "HUGE_VAL_F32X", "HUGE_VAL_F64", "HUGE_VAL_F64X", "HUPCL", "I",
    "ICANON", "ICRNL", "IEXTEN", "IFHWADDRLEN", "IFNAMSIZ", "IFTODT", "IF_NAMESIZE", "IGNBRK",
    "IGNCR", "IGNPAR", "IMAXBEL", "IN6ADDR_ANY_INIT", "IN6ADDR_LOOPBACK_INIT", "INET6_ADDRSTRLEN",
    "INET_ADDRSTRLEN", "INFINITY", "INIT_PROCESS", "INLCR", "INPCK", "INT16_C", "INT16_MAX",
    "INT16_MIN", "INT16_WIDTH", "INT32_C", "INT32_MAX", "INT32_MIN", "INT32_WIDTH", "INT64_C",
    "INT64_MAX", "INT64_MIN", "INT64_WIDTH", "INT8_C", "INT8_MAX", "INT8_MIN", "INT8_WIDTH",
    "INTMAX_C", "INTMAX_MAX", "INTMAX_MIN", "INTMAX_WIDTH", "INTPTR_MAX", "INTPTR_MIN",
    "INTPTR_WIDTH", "IOV_MAX", "IPPORT_RESERVED", "IPV6_2292DSTOPTS", "IPV6_2292HOPLIMIT",
    "IPV6_2292HOPOPTS", "IPV6_2292PKTINFO", "IPV6_2292PKTOPTIONS", "IPV6_2292RTHDR", "ISIG",
    "ISTRIP", "ITIMER_PROF", "ITIMER_REAL", "ITIMER_VIRTUAL", "IUCLC", "IUTF8", "IXANY", "IXOFF",
    "IXON", "LINE_MAX", "LIO_NOP", "LIO_NOWAIT", "LIO_READ", "LIO_WAIT", "LIO_WRITE",
    "LITTLE_ENDIAN", "LLONG_MAX", "LLONG_MIN", "LLONG_WIDTH", "LM_ID_BASE", "LM_ID_NEWLM",
    "LNKTYPE", "LOGIN_NAME_MAX", "LOGIN_PROCESS", "LONG_BIT", "LONG_LONG_MAX", "LONG_LONG_MIN",
    "LONG_MAX", "LONG_MIN", "LONG_WIDTH", "L_ctermid", "L_cuserid", "L_tmpnam", "MAGIC",
    "MAP_32BIT", "MATH_ERREXCEPT", "MATH_ERRNO", "MAXFLOAT", "MAXNAMLEN", "MAX_CANON",
    "MAX_HANDLE_SZ", "MAX_INPUT", "MB_CUR_MAX", "MB_LEN_MAX", "MCL_CURRENT", "MCL_FUTURE",
    "MCL_ONFAULT", "MFD_ALLOW_SEALING", "MFD_CLOEXEC", "MFD_HUGETLB", "MINSIGSTKSZ",
    "MLOCK_ONFAULT", "MON_1", "MON_10", "MON_11", "MON_12", "MON_2", "MON_3", "MON_4", "MON_5",
    "MON_6", "MON_7", "MON_8", "MON_9", "MQ_PRIO_MAX", "MREMAP_DONTUNMAP", "MREMAP_FIXED",
    "MREMAP_MAYMOVE", "MS_ASYNC", "MS_INVALIDATE", "MS_SYNC", "M_1_PI", "M_1_PIf", "M_1_PIf128",
    "M_1_PIf32", "M_1_PIf32x", "M_1_PIf64", "M_1_PIf64x", "M_1_PIl", "M_2_PI", "M_2_PIf",
    "M_2_PIf128", "M_2_PIf32", "M_2_PIf32x", "M_2_PIf64", "M_2_PIf64x", "M_2_PIl", "M_2_SQRTPI",
    "M_2_SQRTPIf", "M_2_SQRTPIf128", "M_2_SQRTPIf32", "M_2_SQRTPIf32x", "M_2_SQRTPIf64",
    "M_2_SQRTPIf64x", "M_2_SQRTPIl", "M_E", "NAME_MAX", "NAN", "NCCS", "NDEBUG", "NEGATIVE_SIGN",
    "NETDB_INTERNAL", "NETDB_SUCCESS", "NEW_TIME", "NFDBITS", "NGREG", "NGROUPS_MAX", "NL0", "NL1",
    "NLDLY", "NOEXPR", "NOFLSH", "NOSTR", "NO_ADDRESS", "NO_DATA", "NO_RECOVERY", "NSIG",
    "NSS_BUFLEN_GROUP", "NSS_BUFLEN_PASSWD", "NULL", "NZERO", "N_CS_PRECEDES", "N_SEP_BY_SPACE",
    "N_SIGN_POSN", "OCRNL", "OFDEL", "OFILL", "OLCUC", "OLD_TIME", "ONCE_FLAG_INIT", "ONLCR",
    "ONLRET", "ONOCR", "OPOST", "OVERFLOW", "PARENB", "PARMRK", "PARODD", "PATH_MAX", "PDP_ENDIAN",
    "PENDIN", "PIPE_BUF", "PKEY_DISABLE_ACCESS", "PKEY_DISABLE_WRITE", "PLOSS", "PM_STR", "POLLERR",
    "POLLHUP", "POLLIN", "POLLMSG", "POLLNVAL", "POLLOUT", "POLLPRI", "POLLRDBAND", "POLLRDHUP",
    "POLLRDNORM", "POLLREMOVE", "POLLWRBAND", "POLLWRNORM", "POSITIVE_SIGN", "PRIO_MAX", "PRIO_MIN",
    "PRIO_PGRP", "PRIO_PROCESS", "PRIO_USER", "PTRDIFF_MAX", "PTRDIFF_MIN", "PTRDIFF_WIDTH",
    "P_CS_PRECEDES", "P_SEP_BY_SPACE", "P_SIGN_POSN", "P_tmpdir", "RADIXCHAR", "RAND_MAX",
    "REGS_FIXED", "REGS_REALLOCATE", "REGS_UNALLOCATED", "REGTYPE", "RENAME_EXCHANGE",
    "RENAME_NOREPLACE", "RENAME_WHITEOUT", "RLIM64_INFINITY", "RLIM_INFINITY", "RLIM_NLIMITS",
    "RLIM_SAVED_CUR", "RLIM_SAVED_MAX", "RTSIG_MAX", "RUN_LVL", "RUSAGE_CHILDREN", "RUSAGE_LWP",
    "RUSAGE_SELF", "RUSAGE_THREAD", "R_OK", "SCHAR_MAX", "SCHAR_MIN", "SCHAR_WIDTH",
    "SCOPE_DELIMITER", "SEEK_CUR", "SEEK_DATA", "SEEK_END", "SEEK_HOLE", "SEEK_SET", "SETALL",
    "SETVAL", "SHMLBA", "SHM_R", "SHM_W", "SHRT_MAX", "SHRT_MIN", "SHRT_WIDTH", "SHUT_RD",
    "SHUT_RDWR", "SHUT_WR", "SIGABRT", "SIGALRM", "SIGBUS", "SIGCHLD", "SIGCLD", "SIGCONT",
    "SIGEV_NONE", "SIGEV_SIGNAL", "SIGEV_THREAD", "SIGEV_THREAD_ID", "SIGFPE", "SIGHUP", "SIGILL",
    "SIGINT", "SIGIO", "SIGIOT", "SIGKILL", "SIGPIPE", "SIGPOLL", "SIGPROF", "SIGPWR", "SIGQUIT",
    "SIGRTMAX", "SIGRTMIN", "SIGSEGV", "SIGSTKFLT", "SIGSTKSZ", "SIGSTOP", "SIGSYS", "SIGTERM",
    "SIGTRAP", "SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGURG", "SIGUSR1", "SIGUSR2", "SIGVTALRM",
    "SIGWINCH", "SIGXCPU", "SIGXFSZ", "SING", "SIOCATMARK", "SIOCGPGRP", "SIOCGSTAMPNS_OLD",
    "SIOCGSTAMP_OLD", "SIOCSPGRP", "SIZE_MAX", "SIZE_WIDTH", "SNAN", "SNANF", "SNANF128", "SNANF32",
    "SNANF32X", "SNANF64", "SNANF64X", "SNANL", "SOMAXCONN", "SPLICE_F_GIFT", "SPLICE_F_MORE",
    "SPLICE_F_MOVE", "SPLICE_F_NONBLOCK", "SSIZE_MAX", "SS_DISABLE", "SS_ONSTACK", "STDERR_FILENO",
    "STDIN_FILENO", "STDOUT_FILENO", "SUN_LEN", "SYMTYPE", "SYNC_FILE_RANGE_WAIT_AFTER",
    "SYNC_FILE_RANGE_WAIT_BEFORE", "SYNC_FILE_RANGE_WRITE", "SYNC_FILE_RANGE_WRITE_AND_WAIT",
    "TAB0", "TAB1", "TAB2", "TAB3", "TABDLY", "TCIFLUSH", "TCIOFF", "TCIOFLUSH", "TCION",
    "TCOFLUSH", "TCOOFF", "TCOON", "TCPOLEN_MAXSEG", "TCPOLEN_SACK_PERMITTED", "TCPOLEN_TIMESTAMP",
    "TCPOLEN_TSTAMP_APPA", "TCPOLEN_WINDOW", "TCSADRAIN", "TCSAFLUSH", "TCSANOW",
    "TEMP_FAILURE_RETRY", "TGEXEC", "TGREAD", "TGWRITE", "THOUSANDS_SEP", "THOUSEP",
    "TIMER_ABSTIME", "TIMESPEC_TO_TIMEVAL", "TIMEVAL_TO_TIMESPEC", "TIME_UTC", "TIOCSER_TEMT",
    "TLOSS", "TMAGIC", "TMAGLEN", "TMP_MAX", "TOEXEC", "TOREAD", "TOSTOP", "TOWRITE", "TRAP_BRANCH",
    "TRAP_BRKPT", "TRAP_HWBKPT", "TRAP_TRACE", "TRAP_UNK", "TRUE", "TRY_AGAIN", "TSGID",
    "TSS_DTOR_ITERATIONS", "TSUID", "TSVTX", "TTYDEF_CFLAG", "TTYDEF_IFLAG", "TTYDEF_LFLAG",
    "TTYDEF_OFLAG", "TTYDEF_SPEED", "TTY_NAME_MAX", "TUEXEC", "TUREAD", "TUWRITE", "TVERSION",
    "TVERSLEN", "T_FMT", "T_FMT_AMPM", "UCHAR_MAX", "UCHAR_WIDTH", "UINT16_C", "UINT16_MAX",
    "UINT16_WIDTH", "UINT32_C", "UINT32_MAX", "UINT32_WIDTH", "UINT64_C", "UINT64_MAX",
    "UINT64_WIDTH", "UINT8_C", "UINT8_MAX", "UINT8_WIDTH", "UINTMAX_C", "UINTMAX_MAX",
    "UINTMAX_WIDTH", "UINTPTR_MAX", "UINTPTR_WIDTH", "UIO_MAXIOV", "ULLONG_MAX", "ULLONG_WIDTH",
    "ULONG_LONG_MAX", "ULONG_MAX", "ULONG_WIDTH", "UL_GETFSIZE", "UL_SETFSIZE", "UNDERFLOW",
    "USER_PROCESS", "USHRT_MAX", "USHRT_WIDTH", "UTIME_NOW", "UTIME_OMIT", "UTMPX_FILE",
    "UTMPX_FILENAME", "VDISCARD", "VEOF", "VEOL", "VEOL2", "VERASE", "VINTR", "VKILL", "VLNEXT",
    "VMIN", "VQUIT", "VREPRINT", "VSTART", "VSTOP", "VSUSP", "VSWTC", "VT0", "VT1", "VTDLY",
    "VTIME", "VWERASE", "WAIT_ANY", "WAIT_MYPGRP", "WCHAR_MAX", "WCHAR_MIN", "WCHAR_WIDTH",
    "WCONTINUED", "WCOREDUMP", "WCOREFLAG", "WEOF", "WEXITED", "WEXITSTATUS", "WIFCONTINUED",
    "WIFEXITED", "WIFSIGNALED", "WIFSTOPPED", "WINT_MAX", "WINT_MIN", "WINT_WIDTH", "WNOHANG",
    "WNOWAIT", "WORD_BIT", "WSTOPPED", "WSTOPSIG", "WTERMSIG", "WTMPX_FILE", "WTMPX_FILENAME",
    "WUNTRACED", "W_EXITCODE", "W_OK", "W_STOPCODE", "XATTR_LIST_MAX", "XATTR_NAME_MAX",
    "XATTR_SIZE_MAX", "XCASE", "XTABS", "X_OK", "YESEXPR", "YESSTR", "abort", "abs", "acos",
    "acosf", "acosh", "acoshf", "acosl", "alignas", "alignof", "alloca", "and", "and_eq", "arena",
    "asin", "asinf", "asinh", "asinhf", "asm", "assert", "assert_perror", "at", "atan", "atan2",
    "atan2f", "atanf", "atanh", "atanhf", "atexit", "atof", "atoi", "atol", "atomic_cancel",
    "atomic_commit", "atomic_compare_exchange_strong", "atomic_compare_exchange_strong_explicit",
    "atomic_compare_exchange_weak", "atomic_compare_exchange_weak_explicit", "atomic_exchange",
    "atomic_exchange_explicit", "atomic_fetch_add", "atomic_fetch_add_explicit", "atomic_fetch_and",
    "atomic_fetch_and_explicit", "atomic_fetch_or", "atomic_fetch_or_explicit", "atomic_fetch_sub",
    "atomic_fetch_sub_explicit", "atomic_fetch_xor", "atomic_fetch_xor_explicit",
    "atomic_flag_clear", "atomic_flag_clear_explicit", "atomic_flag_test_and_set",
    "atomic_flag_test_and_set_explicit", "atomic_init", "atomic_is_lock_free", "atomic_load",
    "atomic_load_explicit", "atomic_noexcept", "atomic_signal_fence", "atomic_store",
    "atomic_store_explicit", "atomic_thread_fence", "auto", "basename", "be16toh", "be32toh",
    "be64toh", "bitand", "bitor", "bool", "break", "bsearch", "calloc", "carg", "case", "catch",
    "cbrt", "cbrtf", "cdecl", "ceil", "ceilf", "channel", "char", "char16_t", "char32_t", "char8_t",
    "cimag", "class", "clock", "clock_t", "co_await", "co_return", "co_yield", "compl", "complex",
    "concept", "conj", "const", "const_cast", "consteval", "constexpr", "constinit", "continue",
    "contract_assert", "copysign", "copysignf", "cos", "cosf", "cosh", "coshf", "cproj", "creal",
    "ctime", "d_fileno", "dadd", "ddiv", "decltype", "default", "delete", "dfma", "difftime", "div",
    "div_t", "dmul", "do", "double", "double_t", "dsqrt", "dsub", "dynamic_cast", "else", "enum",
    "erf", "erfc", "erff", "errno", "exit", "exp", "exp10", "exp2", "exp2f", "expf", "explicit",
    "expm1", "expm1f", "export", "extern", "f32add", "f32div", "f32fma", "f32mul", "f32sqrt",
    "f32sub", "f32xadd", "f32xdiv", "f32xfma", "f32xmul", "f32xsqrt", "f32xsub", "f64add", "f64div",
    "f64fma", "f64mul", "f64sqrt", "f64sub", "f64xadd", "f64xdiv", "f64xfma", "f64xmul", "f64xsqrt",
    "f64xsub", "fabs", "fabsf", "fadd", "false", "far", "fclose", "fdim", "fdiv", "feof", "fflush",
    "ffma", "fgetc", "fgets", "final", "float", "float_t", "floor", "floorf", "fma", "fmaf", "fmax",
    "fmaxf", "fmaximum", "fmaximum_mag", "fmaximum_mag_num", "fmaximum_num", "fmaxmag", "fmin",
    "fminf", "fminimum", "fminimum_mag", "fminimum_mag_num", "fminimum_num", "fminmag", "fmod",
    "fmodf", "fmul", "fn", "fopen", "for", "fpclassify", "fpos_t", "fprintf", "fputc", "fputs",
    "fread", "free", "frexp", "friend", "fromfp", "fromfpx", "fseek", "fsqrt", "fsub", "ftell",
    "fwrite", "gamma", "getc", "getchar", "getenv", "gets", "gmtime", "goto", "h_addr", "h_errno",
    "htobe16", "htobe32", "htobe64", "htole16", "htole32", "htole64", "hypot", "hypotf", "i386",
    "if", "ifa_broadaddr", "ifa_dstaddr", "ifc_buf", "ifc_req", "ifr_addr", "ifr_bandwidth",
    "ifr_broadaddr", "ifr_data", "ifr_dstaddr", "ifr_flags", "ifr_hwaddr", "ifr_ifindex", "ifr_map",
    "ifr_metric", "ifr_mtu", "ifr_name", "ifr_netmask", "ifr_newname", "ifr_qlen", "ifr_slave",
    "ilogb", "imaginary", "import", "in", "index", "inline", "int", "int16_t", "int32_t", "int64_t",
    "int8_t", "int_fast16_t", "int_fast32_t", "int_fast64_t", "int_fast8_t", "int_least16_t",
    "int_least32_t", "int_least64_t", "int_least8_t", "interface", "intmax_t", "intptr_t",
    "isalnum", "isalnum_l", "isalpha", "isalpha_l", "isascii", "isascii_l", "isblank", "isblank_l",
    "iscanonical", "iscntrl", "iscntrl_l", "isdigit", "isdigit_l", "iseqsig", "isfinite", "isgraph",
    "isgraph_l", "isgreater", "isgreaterequal", "isinf", "isless", "islessequal", "islessgreater",
    "islower", "islower_l", "isnan", "isnormal", "isprint", "isprint_l", "ispunct", "ispunct_l",
    "issignaling", "isspace", "isspace_l", "issubnormal", "isunordered", "isupper", "isupper_l",
    "isxdigit", "isxdigit_l", "iszero", "j0", "j1", "jn", "kill_dependency", "labs", "ldexp",
    "ldiv", "ldiv_t", "le16toh", "le32toh", "le64toh", "lgamma", "lgammaf", "linux", "llabs",
    "lldiv", "lldiv_t", "llogb", "llrint", "llround", "localtime", "log", "log10", "log10f",
    "log1p", "log1pf", "log2", "log2f", "logb", "logf", "long", "lrint", "lround", "main", "malloc",
    "math_errhandling", "max", "max_align_t", "memchr", "memcmp", "memcpy", "memmove", "memory",
    "memset", "min", "mktime", "modf", "modff", "module", "msg_cbytes", "mutable", "namespace",
    "nan", "nanf", "near", "nearbyint", "new", "nextafter", "nextdown", "nexttoward", "nextup",
    "noexcept", "noreturn", "not", "not_eq", "nullptr", "nullptr_t", "offsetof", "onnxc",
    "operator", "or", "or_eq", "out", "override", "pascal", "perror", "pow", "powf", "printf",
    "private", "protected", "pthread_cleanup_pop", "pthread_cleanup_pop_restore_np",
    "pthread_cleanup_push", "pthread_cleanup_push_defer_np", "ptrdiff_t", "public", "putc",
    "putchar", "puts", "qsort", "raise", "rand", "random", "read", "realloc", "reflexpr",
    "register", "reinterpret_cast", "remainder", "remove", "remquo", "rename", "requires",
    "restrict", "return", "rewind", "rindex", "rint", "rintf", "round", "roundeven", "roundf",
    "run", "s6_addr", "s6_addr16", "s6_addr32", "sa_handler", "sa_sigaction", "scalb", "scalbln",
    "scalbn", "scanf", "sched_priority", "select", "setjmp", "short", "si_addr", "si_addr_lsb",
    "si_arch", "si_band", "si_call_addr", "si_fd", "si_int", "si_lower", "si_overrun", "si_pid",
    "si_pkey", "si_ptr", "si_status", "si_stime", "si_syscall", "si_timerid", "si_uid", "si_upper",
    "si_utime", "si_value", "sigev_notify_attributes", "sigev_notify_function", "sigmask", "signal",
    "signbit", "signed", "signgam", "sigsetjmp", "sin", "sinf", "sinh", "sinhf", "size_t", "sizeof",
    "sleep", "small", "snprintf", "sprintf", "sqrt", "sqrtf", "srand", "sscanf", "ssize_t",
    "st_atime", "st_ctime", "st_mtime", "static", "static_assert", "static_cast", "status", "std",
    "stderr", "stdin", "stdout", "strcat", "strchr", "strcmp", "strcpy", "strdupa", "strlen",
    "strncmp", "strncpy", "strndupa", "strstr", "strtod", "strtol", "struct", "switch",
    "synchronized", "system", "tan", "tanf", "tanh", "tanhf", "template", "tgamma", "this",
    "thread_local", "throw", "time", "time_t", "timeradd", "timerclear", "timercmp", "timerisset",
    "timersub", "tmpfile", "toascii", "toascii_l", "tolower", "toupper", "true", "trunc", "truncf",
    "try", "typedef", "typeid", "typename", "typeof", "typeof_unqual", "ufromfp", "ufromfpx",
    "uint16_t", "uint32_t", "uint64_t", "uint8_t", "uint_fast16_t", "uint_fast32_t",
    "uint_fast64_t", "uint_fast8_t", "uint_least16_t", "uint_least32_t", "uint_least64_t",
    "uint_least8_t", "uintmax_t", "uintptr_t", "ungetc", "union", "unix", "unsigned", "using", "v",
    "va_arg", "va_copy", "va_end", "va_list", "va_start", "vfprintf", "virtual", "void", "volatile",
    "vprintf", "wchar_t", "weights", "while", "wint_t", "write", "xor", "xor_eq", "y0", "y1", "yn"
    // clang-format on
};

static_assert(std::is_sorted(kFamilies.begin(), kFamilies.end()));
static_assert(std::is_sorted(kNames.begin(), kNames.end()));

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

// AF_INET, SYS_read; not S_1 or M_A, which are likely names of tensors. One underscore at the end
// is enough to leave the family.
bool is_family_member(std::string_view name) {
  const std::size_t bar = name.find('_');
  if (bar == std::string_view::npos || name.size() < bar + 3 || name.back() == '_') return false;
  const std::string_view prefix = name.substr(0, bar);
  if (!is_upper(name[bar + 1]) && prefix != "SYS") return false;
  return std::binary_search(kFamilies.begin(), kFamilies.end(), prefix);
}

// PRId64, SCNxFAST16: the formats of <inttypes.h>.
bool is_format(std::string_view name) {
  if (!name.starts_with("PRI") && !name.starts_with("SCN")) return false;
  if (name.size() < 5 || std::string_view("diouxX").find(name[3]) == std::string_view::npos)
    return false;
  std::string_view width = name.substr(4);
  if (width == "MAX" || width == "PTR") return true;
  if (width.starts_with("FAST")) width.remove_prefix(4);
  if (width.starts_with("LEAST")) width.remove_prefix(5);
  return !width.empty() && std::all_of(width.begin(), width.end(), is_digit);
}

}  // namespace

bool is_defined(std::string_view identifier) {
  return std::binary_search(kNames.begin(), kNames.end(), identifier);
}

bool is_reserved(std::string_view identifier) {
  return is_defined(identifier) || is_family_member(identifier) || is_format(identifier);
}

}  // namespace onnxc
