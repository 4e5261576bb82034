// A model whose ports are called like words of Go, of several types.
package main

import (
	"log"
	"reflect"
)

func main() {
	ranges, fn, status := make([]int64, 4), make([]bool, 3), make([]float32, 2)
	model := NewWords()
	if err := model.Run([]int64{1, 2, 3, 4}, []bool{true, false, true}, []float64{0.5}, []float32{3, -1}, ranges, fn, status); err != nil {
		log.Fatal(err)
	}
	got := []interface{}{ranges, fn, status}
	want := []interface{}{[]int64{2, 4, 6, 8}, []bool{false, true, false}, []float32{1.5, -0.5}}
	if !reflect.DeepEqual(got, want) {
		log.Fatal(got, want)
	}
	err := model.Run([]int64{1}, nil, nil, nil, nil, nil, nil)
	if err == nil || err.Error() != "type_ has 1 elements, not 4" {
		log.Fatal(err)
	}
}

