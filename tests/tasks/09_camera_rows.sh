# Take a camera's bytes row by row into a network of floats, on a Cortex-M4F.
# Needs: arm-none-eabi-g++
# Wants: an arena far below the image of floats.
onnxc "$clone/examples/02_cnn/model.onnx" -o generated/camera --target cortex-m4f --no-heap --input picture:u8,mean=0,scale=0.00392 --input-rows picture
grep 'next_rows' generated/camera.h
arm-none-eabi-g++ -std=c++17 -O2 -mcpu=cortex-m4 -mthumb -mfpu=fpv4-sp-d16 -mfloat-abi=hard -c generated/camera.cpp -o camera.o
