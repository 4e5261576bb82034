# Classify a picture from C++.
# Wants: a line that names the shape in the picture.
onnxc "$clone/examples/02_cnn/model.onnx" -o generated/shapes --target native
g++ -std=c++17 -O3 -march=native -Igenerated "$clone/examples/02_cnn/main.cpp" generated/shapes*.cpp -o classify
./classify | grep 'It is a ring'
