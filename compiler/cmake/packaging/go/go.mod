module onnxc

go 1.18
