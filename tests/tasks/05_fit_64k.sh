# Fit a network into 64 KiB of flash and 16 KiB of RAM of a Cortex-M0+, and let the build fail when it grows.
# Needs: arm-none-eabi-g++
# Wants: exit code 0 with the limits, 3 with tighter ones.
onnxc "$clone/examples/02_cnn/model.onnx" -o small/shapes --target cortex-m0plus --optimize size --no-heap --ram-limit 16K --flash-limit 64K
onnxc "$clone/examples/02_cnn/model.onnx" -o small/tight --target cortex-m0plus --ram-limit 4K || test $? = 3
