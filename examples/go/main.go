// Which flower is this? The network of examples/01_mlp, called from Go.
package main

import (
	"fmt"
	"log"
)

//go:generate go run onnxc/generate flowers.onnx

func main() {
	names := []string{"setosa", "versicolor", "virginica"}
	probability := make([]float32, 3)
	if err := NewFlowers().Run([]float32{6.1, 2.9, 4.7, 1.4}, probability); err != nil {
		log.Fatal(err)
	}
	best := 0
	for i, p := range probability {
		if p > probability[best] {
			best = i
		}
	}
	fmt.Printf("It is a %s (%.1f %%).\n", names[best], 100*probability[best])
}
