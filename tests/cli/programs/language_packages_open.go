// A model of open size, which is fixed to two rows.
package main

import (
	"log"
	"reflect"
)

func main() {
	y := make([]float32, 4)
	if err := NewOpen().Run([]float32{1, 2, 3, 4}, y); err != nil {
		log.Fatal(err)
	}
	if !reflect.DeepEqual(y, []float32{-1, -2, -3, -4}) {
		log.Fatal(y)
	}
}

