//go:build linux && amd64

// Package faults runs a program whose operations on files and sockets fail in turn. The Linux
// kernel asks the test before each such operation of the program (seccomp user notification), so
// that the program is the one that users run, and no operation is forgotten.
//
// A test calls Launch at the beginning of its TestMain.
package faults

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An Operation is a system call on a file or a socket.
type Operation struct {
	Call string // such as openat
	Path string // of the file with random numbers replaced, or socket
	Nth  int    // number among the same calls on the same path, from 1
}

// String names the call, the path and the number.
func (o Operation) String() string { return fmt.Sprintf("%s %s (%d)", o.Call, o.Path, o.Nth) }

// A call says how to find the path of a system call, and how the call fails.
type call struct {
	name  string
	find  finder
	error syscall.Errno
	net   syscall.Errno // of sockets; 0 if the call is not for them
}

// A finder says which arguments name the file.
type finder int

const (
	byDescriptor finder = iota // argument 0
	byName                     // argument 0 is a folder, argument 1 a name
	byTarget                   // arguments 2 and 3, as of renameat
	byMapping                  // argument 4 is a descriptor
)

// calls are the system calls that fail. close of a file that was read is among them; its errors may
// be ignored.
var calls = map[int32]call{
	unix.SYS_OPENAT:     {"openat", byName, syscall.EIO, 0},
	unix.SYS_NEWFSTATAT: {"fstatat", byName, syscall.EIO, 0},
	unix.SYS_FSTAT:      {"fstat", byDescriptor, syscall.EIO, 0},
	unix.SYS_READ:       {"read", byDescriptor, syscall.EIO, syscall.ECONNRESET},
	unix.SYS_PREAD64:    {"pread", byDescriptor, syscall.EIO, 0},
	unix.SYS_GETDENTS64: {"getdents", byDescriptor, syscall.EIO, 0},
	unix.SYS_WRITE:      {"write", byDescriptor, syscall.ENOSPC, syscall.EPIPE},
	unix.SYS_WRITEV:     {"writev", byDescriptor, syscall.ENOSPC, syscall.EPIPE},
	unix.SYS_PWRITE64:   {"pwrite", byDescriptor, syscall.ENOSPC, 0},
	unix.SYS_FSYNC:      {"fsync", byDescriptor, syscall.EIO, 0},
	unix.SYS_FTRUNCATE:  {"ftruncate", byDescriptor, syscall.ENOSPC, 0},
	unix.SYS_FCHMOD:     {"fchmod", byDescriptor, syscall.EPERM, 0},
	unix.SYS_FCHMODAT:   {"fchmodat", byName, syscall.EPERM, 0},
	unix.SYS_CLOSE:      {"close", byDescriptor, syscall.EIO, 0},
	unix.SYS_MMAP:       {"mmap", byMapping, syscall.ENOMEM, 0},
	unix.SYS_MKDIRAT:    {"mkdirat", byName, syscall.ENOSPC, 0},
	unix.SYS_UNLINKAT:   {"unlinkat", byName, syscall.EIO, 0},
	unix.SYS_RENAMEAT:   {"renameat", byTarget, syscall.EIO, 0},
	unix.SYS_FLOCK:      {"flock", byDescriptor, syscall.ENOLCK, 0},
	unix.SYS_FCNTL:      {"fcntl", byDescriptor, syscall.ENOLCK, 0},
	unix.SYS_ACCEPT4:    {"accept", byDescriptor, 0, syscall.EMFILE},
	unix.SYS_SETSOCKOPT: {"setsockopt", byDescriptor, 0, syscall.EINVAL},
	unix.SYS_LISTEN:     {"listen", byDescriptor, 0, syscall.EADDRINUSE},
	unix.SYS_CONNECT:    {"connect", byDescriptor, 0, syscall.ECONNREFUSED},
}

// descriptorVariable names the environment variable with the descriptor of a launcher.
const descriptorVariable = "GOSPHERE_FAULTS_DESCRIPTOR"

// Launch replaces a process that Run has started by its program, and returns in all others.
func Launch() {
	text, found := os.LookupEnv(descriptorVariable)
	if !found {
		return
	}
	var descriptor int
	fmt.Sscan(text, &descriptor)
	debug.SetGCPercent(-1) // stopping the world would wait for this thread
	runtime.LockOSThread()
	// The kernel asks from the installation on, and this thread waits at its next mmap until it is
	// answered, so another one sends the listener.
	var listener atomic.Int32
	send := message(descriptor)
	ready, sent := make(chan bool), make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		close(ready)
		for listener.Load() == 0 {
		}
		errno := send(listener.Load()) // allocates nothing: the other thread may hold the heap
		var err error
		if errno != 0 {
			err = errno
		}
		sent <- err
	}()
	<-ready
	err := install(&listener)
	if err == nil {
		err = <-sent
	}
	if err == nil {
		environment := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, descriptorVariable) })
		err = syscall.Exec(os.Args[1], os.Args[1:], environment)
	}
	fmt.Fprintln(os.Stderr, "faults:", err)
	os.Exit(127)
}

// message returns a function that sends an open file over a socket without allocating.
func message(socket int) func(file int32) syscall.Errno {
	data, rights := make([]byte, 1), unix.UnixRights(0)
	vector := unix.Iovec{Base: &data[0], Len: 1}
	header := &unix.Msghdr{Iov: &vector, Iovlen: 1, Control: &rights[0], Controllen: uint64(len(rights))}
	return func(file int32) syscall.Errno {
		binary.NativeEndian.PutUint32(rights[unix.CmsgLen(0):], uint32(file))
		_, _, errno := unix.RawSyscall(unix.SYS_SENDMSG, uintptr(socket), uintptr(unsafe.Pointer(header)), 0)
		return errno
	}
}

// install makes the kernel ask before each call of this thread and of the programs that it becomes,
// and stores the descriptor by which it asks.
func install(listener *atomic.Int32) error {
	const number = 0 // offset of the number in the data of a filter
	program := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number}}
	left := len(calls)
	for n := range calls {
		program = append(program, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(n), Jt: uint8(left)})
		left--
	}
	program = append(program, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	code := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	const flags = unix.SECCOMP_FILTER_FLAG_NEW_LISTENER | unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
	r, _, e := unix.RawSyscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, flags, uintptr(unsafe.Pointer(&code)))
	if e != 0 {
		return fmt.Errorf("seccomp: %w", e)
	}
	listener.Store(int32(r))
	return nil
}

// ErrUnsupported is the error of a system that does not permit such filters.
var ErrUnsupported = errors.New("faults: this system does not ask before system calls")

// A Program is a program to run.
type Program struct {
	Arguments   []string // Arguments[0] is the path of the program
	Dir         string
	Environment []string
	Watched     []string // folders whose files fail
	Sockets     bool     // sockets of TCP fail too
}

// A Result is the end of a program.
type Result struct {
	Status         int // -1 for a signal
	Stdout, Stderr string
	Operations     []Operation // in their order
}

// notification is struct seccomp_notif.
type notification struct {
	id           uint64
	pid, flags   uint32
	number       int32
	architecture uint32
	instruction  uint64
	arguments    [6]uint64
}

// response is struct seccomp_notif_resp.
type response struct {
	id    uint64
	value int64
	error int32
	flags uint32
}

// Run runs a program to its end. It calls fails before each operation, and those for which it
// returns true fail with the error of their kind, such as a full disk for a write.
func (p Program) Run(ctx context.Context, fails func(Operation) bool) (Result, error) {
	process, err := p.Start(ctx, fails)
	if err != nil {
		return Result{}, err
	}
	return process.Wait()
}

// A Process is a running program.
type Process struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
	operations     []Operation
	answered       chan bool
}

// Start starts a program. See Run.
func (p Program) Start(ctx context.Context, fails func(Operation) bool) (*Process, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	ours, theirs := pair[0], os.NewFile(uintptr(pair[1]), "launcher")
	defer unix.Close(ours)
	process := &Process{Cmd: exec.CommandContext(ctx, self, p.Arguments...), answered: make(chan bool)}
	process.Dir, process.Stdout, process.Stderr = p.Dir, &process.stdout, &process.stderr
	process.Env = append(slices.Clone(p.Environment), descriptorVariable+"=3")
	process.ExtraFiles = []*os.File{theirs}
	err = process.Cmd.Start()
	theirs.Close()
	if err != nil {
		return nil, err
	}
	listener, err := receive(ours)
	if err != nil {
		_ = process.Cmd.Wait()
		if strings.Contains(process.stderr.String(), "seccomp") {
			return nil, ErrUnsupported
		}
		err = fmt.Errorf("%w: %v, stderr %q", err, process.ProcessState, process.stderr.String())
		return nil, err
	}
	go process.answer(listener, p, fails)
	return process, nil
}

// Wait waits for the end of the program.
func (p *Process) Wait() (Result, error) {
	err := p.Cmd.Wait()
	<-p.answered
	if _, ok := errors.AsType[*exec.ExitError](err); !ok && err != nil {
		return Result{}, err
	}
	return Result{p.ProcessState.ExitCode(), p.stdout.String(), p.stderr.String(), p.operations}, nil
}

// receive reads the descriptor of the listener.
func receive(socket int) (int, error) {
	data, rights := make([]byte, 1), make([]byte, unix.CmsgSpace(4))
	_, n, _, _, err := unix.Recvmsg(socket, data, rights, unix.MSG_CMSG_CLOEXEC)
	for errors.Is(err, unix.EINTR) {
		_, n, _, _, err = unix.Recvmsg(socket, data, rights, unix.MSG_CMSG_CLOEXEC)
	}
	if err != nil {
		return 0, err
	}
	messages, err := unix.ParseSocketControlMessage(rights[:n])
	if err != nil || len(messages) != 1 {
		return 0, errors.New("faults: the program was not started")
	}
	descriptors, err := unix.ParseUnixRights(&messages[0])
	if err != nil {
		return 0, err
	}
	return descriptors[0], nil
}

// answer decides on the calls of the program until it has ended.
func (p *Process) answer(listener int, program Program, fails func(Operation) bool) {
	defer close(p.answered)
	defer unix.Close(listener)
	counts := map[Operation]int{}
	for {
		ready := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); errors.Is(err, unix.EINTR) {
			continue
		}
		if ready[0].Revents&unix.POLLIN == 0 {
			return
		}
		var n notification
		if _, _, e := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_RECV, uintptr(unsafe.Pointer(&n))); e != 0 {
			continue // the thread has ended meanwhile
		}
		answer := response{id: n.id, flags: unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE}
		if operation, errno := program.operation(n); errno != 0 {
			counts[operation]++
			operation.Nth = counts[operation]
			p.operations = append(p.operations, operation)
			if fails(operation) {
				answer.error, answer.flags = -int32(errno), 0
			}
		}
		unix.Syscall(unix.SYS_IOCTL, uintptr(listener), unix.SECCOMP_IOCTL_NOTIF_SEND, uintptr(unsafe.Pointer(&answer)))
	}
}

// operation returns the operation of a call and the error with which it would fail, 0 if it is
// none.
func (p Program) operation(n notification) (Operation, syscall.Errno) {
	c := calls[n.number]
	path := c.path(n)
	if strings.HasPrefix(path, "socket:") {
		if !p.Sockets || c.net == 0 {
			return Operation{}, 0
		}
		return Operation{Call: c.name, Path: "socket"}, c.net
	}
	if c.error == 0 {
		return Operation{}, 0
	}
	path = strings.TrimSuffix(path, " (deleted)")
	for _, folder := range p.Watched {
		if relative, err := filepath.Rel(folder, path); err == nil && filepath.IsLocal(relative) {
			return Operation{Call: c.name, Path: random.ReplaceAllString(relative, "NUMBER")}, c.error
		}
	}
	return Operation{}, 0
}

// random matches the numbers in names of temporary files.
var random = regexp.MustCompile(`[0-9]{6,}`)

// path returns the path of the file of a call.
func (c call) path(n notification) string {
	link := func(descriptor uint64) string {
		name := fmt.Sprintf("/proc/%d/fd/%d", n.pid, int32(descriptor))
		if int32(descriptor) == unix.AT_FDCWD {
			name = fmt.Sprintf("/proc/%d/cwd", n.pid)
		}
		target, _ := os.Readlink(name)
		return target
	}
	named := func(folder, address uint64) string {
		name := text(n.pid, address)
		if name == "" || filepath.IsAbs(name) {
			return name
		}
		return filepath.Join(link(folder), name)
	}
	switch c.find {
	case byName:
		return named(n.arguments[0], n.arguments[1])
	case byTarget:
		return named(n.arguments[2], n.arguments[3])
	case byMapping:
		if int32(n.arguments[4]) < 0 {
			return ""
		}
		return link(n.arguments[4])
	}
	return link(n.arguments[0])
}

// text reads a string of the program that ends with a zero byte.
func text(pid uint32, address uint64) string {
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	if err != nil {
		return ""
	}
	defer memory.Close()
	buffer := make([]byte, unix.PathMax)
	n, _ := memory.ReadAt(buffer, int64(address))
	end := bytes.IndexByte(buffer[:n], 0)
	if end < 0 {
		return ""
	}
	return string(buffer[:end])
}

// temporary matches the parts by which names of temporary files differ from those of the files that
// they replace.
var temporary = regexp.MustCompile(`^\.|-?NUMBER.*$|\.tmp$|\.part$`)

// Named returns the part of the path of an operation that an error contains.
func Named(path string) string {
	return temporary.ReplaceAllString(filepath.Base(path), "")
}

// Chosen returns the operations that fail in turn: all with GOSPHERE_FAULTS=all, one of each call
// for each file with GOSPHERE_FAULTS=files, and otherwise one of each call on files and on sockets.
func Chosen(operations []Operation) []Operation {
	level := os.Getenv("GOSPHERE_FAULTS")
	if level == "all" {
		return operations
	}
	one := map[Operation]Operation{}
	for _, o := range operations {
		path := o.Path
		if level == "" && path != "socket" {
			path = ""
		}
		one[Operation{Call: o.Call, Path: path}] = o
	}
	return slices.SortedFunc(maps.Values(one), func(a, b Operation) int { return strings.Compare(a.String(), b.String()) })
}
