module flowers

go 1.18
