# Debian's cross compiler. With SSE2, as the registers of x87 would compute constants with other bits.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR i686)
set(CMAKE_CXX_COMPILER i686-linux-gnu-g++)
set(CMAKE_C_COMPILER i686-linux-gnu-gcc)
set(CMAKE_CXX_FLAGS_INIT "-msse2 -mfpmath=sse")
