# Recognise words on a Cortex-M4F, with limits of RAM and flash, in QEMU.
# Needs: arm-none-eabi-g++ qemu-system-arm
# Wants: the program's output.
cmake -S "$clone/examples/keyword_spotting" -B build -G Ninja -DCMAKE_TOOLCHAIN_FILE="$clone/examples/keyword_spotting/toolchain.cmake" -Donnxc_DIR="$installed/lib/cmake/onnxc"
cmake --build build
cmake --build build --target run
