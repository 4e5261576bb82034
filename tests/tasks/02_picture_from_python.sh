# Classify a picture from Python.
# Wants: the same class as in C++.
onnxc python "$clone/examples/02_cnn/model.onnx" -o shapes
cat >classify.py <<'END'
import re
import numpy
import shapes

text = open(__import__("sys").argv[1]).read()
numbers = [float(x) for x in re.findall(r"[-\d.e]+(?=f[,}\s])", text)]
picture = numpy.array(numbers, dtype="float32").reshape(1, 1, 16, 16)
print(["disc", "ring", "square", "cross"][int(shapes.run(picture=picture).argmax())])
END
python3 classify.py "$clone/examples/02_cnn/picture.h" | grep ring
