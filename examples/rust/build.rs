fn main() {
    onnxc_build::Model::new("../01_mlp/model.onnx").name("flowers").compile();
}
