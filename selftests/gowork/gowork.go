// SPDX-License-Identifier: GPL-2.0

// A Go program whose work is to sleep and to wait for a futex, in system calls
// of its own: what the runtime waits for, it waits for on another stack.
package main

import (
	"syscall"
	"unsafe"
)

const futexWait = 0

//go:noinline
func nap(ns int64) {
	ts := syscall.Timespec{Nsec: ns}
	syscall.Syscall(syscall.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

//go:noinline
func wait(ns int64) {
	var word uint32
	ts := syscall.Timespec{Nsec: ns}
	syscall.Syscall6(syscall.SYS_FUTEX, uintptr(unsafe.Pointer(&word)), futexWait,
		0, uintptr(unsafe.Pointer(&ts)), 0, 0)
}

//go:noinline
func work() {
	for i := 0; i < 3; i++ {
		nap(10e6)
		wait(10e6)
	}
}

func main() {
	done := make(chan bool)
	go func() {
		work()
		done <- true
	}()
	<-done
}
