// SPDX-License-Identifier: GPL-2.0

package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	rpprof "runtime/pprof"
	rtrace "runtime/trace"
	"sync"
	"time"
)

var sink [][]byte

// A bit of everything that gets into a trace: channels, locks, timers, network,
// system calls that block, garbage, tasks, regions, messages, samples.
func work(ctx context.Context, rounds int) error {
	ctx, task := rtrace.NewTask(ctx, "round")
	defer task.End()
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	defer ln.Close()
	go func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			go func() { io.Copy(c, c); c.Close() }()
		}
	}()
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	c, err := net.Dial("tcp", ln.Addr().String())
	if err != nil {
		return err
	}
	defer c.Close()

	var wg sync.WaitGroup
	var mu sync.Mutex
	ch := make(chan int)
	start := func(f func(i int)) {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := 0; i < rounds; i++ {
				f(i)
			}
		}()
	}
	b := make([]byte, 1)
	q := make([]byte, 1)
	start(func(i int) { ch <- i })
	start(func(i int) { <-ch })
	start(func(i int) { mu.Lock(); runtime.Gosched(); mu.Unlock() })
	start(func(i int) { mu.Lock(); sink = append(sink[:i%64], make([]byte, 64<<10)); mu.Unlock() })
	start(func(i int) { w.Write(b) })
	start(func(i int) { r.Read(q) })
	start(func(i int) { c.Write([]byte("x")); c.Read(make([]byte, 1)) })
	start(func(i int) {
		if i%64 == 0 {
			time.Sleep(time.Millisecond)
		}
		rtrace.WithRegion(ctx, "region", func() { rtrace.Log(ctx, "key", fmt.Sprint(i)) })
	})
	start(func(i int) {
		for k := 0; k < 20000; k++ {
			b2 := k * i
			_ = b2
		}
	})
	start(func(i int) {
		if i%16 == 0 {
			f, err := os.CreateTemp("", "goprint")
			if err == nil {
				f.Write(make([]byte, 4096))
				f.Sync()
				os.Remove(f.Name())
				f.Close()
			}
		}
	})
	wg.Wait()
	return nil
}

func record(file string, rounds int) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	var profile bytes.Buffer
	if err := rpprof.StartCPUProfile(&profile); err != nil {
		return err
	}
	if err := rtrace.Start(f); err != nil {
		return err
	}
	err = work(context.Background(), rounds)
	rtrace.Stop()
	rpprof.StopCPUProfile()
	if err != nil {
		return err
	}
	return f.Close()
}
