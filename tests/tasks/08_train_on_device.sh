# Make a network trainable and generate the code that trains it, without a heap.
# Wants: the function that trains, in the header.
onnxc prepare "$clone/examples/01_mlp/model.onnx" --loss mse --optimizer adam --train '*' -o trainable.onnx
onnxc trainable.onnx -o generated/flowers --train --no-heap
grep 'flowers_train(' generated/flowers.h
g++ -std=c++17 -O2 -c generated/flowers.cpp -o flowers.o
