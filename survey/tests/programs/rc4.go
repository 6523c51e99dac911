// A table in a structure, swapped in one assignment.
package main

import "os"

type cipher struct {
	s    [256]byte
	i, j byte
}

func schedule(key []byte) *cipher {
	c := new(cipher)
	for i := range c.s {
		c.s[i] = byte(i)
	}
	var j byte
	for i := 0; i < 256; i++ {
		j += c.s[i] + key[i%len(key)]
		c.s[i], c.s[j] = c.s[j], c.s[i]
	}
	return c
}

func (c *cipher) apply(data []byte) {
	for k := range data {
		c.i++
		c.j += c.s[c.i]
		c.s[c.i], c.s[c.j] = c.s[c.j], c.s[c.i]
		data[k] ^= c.s[c.s[c.i]+c.s[c.j]]
	}
}

func main() {
	c := schedule([]byte(os.Args[1]))
	d := []byte(os.Args[0])
	c.apply(d)
	os.Stdout.Write(d)
}
