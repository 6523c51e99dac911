// The protocol of bench/engines/README.md for Go's crypto/rc4.
package main

import (
	"bufio"
	"crypto/rc4"
	"fmt"
	"io"
	"log"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

const (
	keyBytes = 16
	keys     = 4096
)

type session struct {
	keys, data []byte
	nextKey    int
	stream     *rc4.Cipher
}

func (s *session) reset(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	s.nextKey, s.stream = 0, nil
	if _, err := io.ReadFull(file, s.keys); err != nil {
		return err
	}
	_, err = io.ReadFull(file, s.data)
	return err
}

func schedule(key []byte) *rc4.Cipher {
	cipher, err := rc4.NewCipher(key)
	if err != nil {
		log.Fatal(err)
	}
	return cipher
}

func (s *session) key() []byte {
	at := s.nextKey % keys * keyBytes
	s.nextKey++
	return s.keys[at : at+keyBytes]
}

func (s *session) run(op string, data []byte, iterations int) (time.Duration, error) {
	switch op {
	case "stream":
		if s.stream == nil {
			s.stream = schedule(s.keys[:keyBytes])
		}
		start := time.Now()
		for n := 0; n < iterations; n++ {
			s.stream.XORKeyStream(data, data)
		}
		return time.Since(start), nil
	case "setup":
		var last *rc4.Cipher
		start := time.Now()
		for n := 0; n < iterations; n++ {
			last = schedule(s.key())
		}
		elapsed := time.Since(start)
		last.XORKeyStream(data, data)
		return elapsed, nil
	case "message":
		start := time.Now()
		for n := 0; n < iterations; n++ {
			schedule(s.key()).XORKeyStream(data, data)
		}
		return time.Since(start), nil
	}
	return 0, fmt.Errorf("unknown operation %q", op)
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("engine: ")
	if len(os.Args) != 3 {
		log.Fatal("usage: engine DATA_FILE DATA_BYTES")
	}
	dataBytes, err := strconv.Atoi(os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	// Outside the collector's heap, whose size would otherwise set how rarely it collects ciphers.
	data, err := syscall.Mmap(-1, 0, dataBytes, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		log.Fatal(err)
	}
	s := session{keys: make([]byte, keys*keyBytes), data: data}
	// The heap of a program that has run for a while: its first growth is not RC4's cost.
	for n := 0; n < 1<<15; n++ {
		schedule(s.keys[:keyBytes])
	}
	out := bufio.NewWriter(os.Stdout)
	fmt.Fprintf(out, "go\t%s\n\n", runtime.Version())
	out.Flush()

	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		line := lines.Text()
		var name, op string
		var offset, bytes, iterations int
		if line == "reset" {
			err = s.reset(os.Args[1])
			fmt.Fprintln(out, 0)
		} else if n, _ := fmt.Sscanf(line, "dump %d %d", &offset, &bytes); n == 2 {
			_, err = out.Write(s.data[offset : offset+bytes])
		} else if n, _ := fmt.Sscanf(line, "run %s %s %d %d %d", &name, &op, &offset, &bytes, &iterations); n == 5 {
			var elapsed time.Duration
			elapsed, err = s.run(op, s.data[offset:offset+bytes], iterations)
			fmt.Fprintln(out, elapsed.Nanoseconds())
		} else {
			err = fmt.Errorf("cannot read %q", line)
		}
		if err != nil {
			log.Fatal(err)
		}
		out.Flush()
	}
}
