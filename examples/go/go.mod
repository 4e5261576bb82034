module flowers

go 1.18

require onnxc v0.0.0

replace onnxc => ../../compiler/cmake/packaging/go
