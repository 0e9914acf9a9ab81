//go:build amd64 || arm64

package confine

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Apply limits all threads of the process. It returns an error if the system does not support a
// limit; the process may then be limited in part and should end.
func Apply(l Limits) error {
	if l.None() {
		return nil
	}
	if l.Folder != "" {
		if err := limitFiles(l); err != nil {
			return fmt.Errorf("confine: files: %w", err)
		}
	}
	if l.Network || l.Processes {
		if err := limitCalls(l); err != nil {
			return fmt.Errorf("confine: system calls: %w", err)
		}
	}
	return nil
}

// systemFiles are the folders that a confined process may read. The first four have the programs
// and libraries, the others the configuration, devices and information about processes.
var systemFiles = []string{"/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/dev", "/proc", "/sys", "/run/systemd/resolve"}

// devices are the devices that a confined process may write to.
var devices = []string{"/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/ptmx", "/dev/pts", "/dev/shm"}

const (
	readAccess = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_READ_DIR
	// fileAccess are the rights that exist for files, as opposed to folders.
	fileAccess = unix.LANDLOCK_ACCESS_FS_EXECUTE | unix.LANDLOCK_ACCESS_FS_READ_FILE | unix.LANDLOCK_ACCESS_FS_WRITE_FILE |
		unix.LANDLOCK_ACCESS_FS_TRUNCATE | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
)

// limitFiles applies a Landlock ruleset. The rights that are handled, and hence refused without a
// rule, depend on the version of Landlock.
func limitFiles(l Limits) error {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return fmt.Errorf("this system has no Landlock, which Linux has since 5.13: %w", errno)
	}
	handled := uint64(unix.LANDLOCK_ACCESS_FS_MAKE_SYM<<1 - 1)
	for _, added := range []struct {
		since uintptr
		right uint64
	}{{2, unix.LANDLOCK_ACCESS_FS_REFER}, {3, unix.LANDLOCK_ACCESS_FS_TRUNCATE}, {5, unix.LANDLOCK_ACCESS_FS_IOCTL_DEV}} {
		if version >= added.since {
			handled |= added.right
		}
	}
	attribute := unix.LandlockRulesetAttr{Handled_access_fs: handled}
	size := unsafe.Sizeof(attribute.Handled_access_fs) // the fields after it are of later versions
	ruleset, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attribute)), size, 0)
	if errno != 0 {
		return errno
	}
	defer unix.Close(int(ruleset))
	for _, group := range []struct {
		paths  []string
		rights uint64
	}{
		{[]string{l.Folder}, handled}, {l.Write, handled}, {devices, handled}, {l.Read, readAccess}, {systemFiles, readAccess},
	} {
		for _, path := range group.paths {
			if err := permit(int(ruleset), path, group.rights&handled); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	if err := onAllThreads(unix.SYS_PRCTL, unix.PR_SET_NO_NEW_PRIVS, 1); err != nil {
		return err
	}
	return onAllThreads(unix.SYS_LANDLOCK_RESTRICT_SELF, ruleset, 0)
}

// permit adds a rule that permits rights on a file, or on a folder and all below it.
func permit(ruleset int, path string, rights uint64) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer unix.Close(fd)
	var status unix.Stat_t
	if err := unix.Fstat(fd, &status); err != nil {
		return &os.PathError{Op: "stat", Path: path, Err: err}
	}
	if status.Mode&unix.S_IFMT != unix.S_IFDIR {
		rights &= fileAccess
	}
	rule := unix.LandlockPathBeneathAttr{Allowed_access: rights, Parent_fd: int32(fd)}
	_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, uintptr(ruleset), unix.LANDLOCK_RULE_PATH_BENEATH, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
	if errno != 0 {
		return &os.PathError{Op: "permit", Path: path, Err: errno}
	}
	return nil
}

// onAllThreads makes a system call on each thread of the process.
func onAllThreads(call, first, second uintptr) error {
	switch _, _, errno := syscall.AllThreadsSyscall6(call, first, second, 0, 0, 0, 0); errno {
	case 0:
		return nil
	case syscall.ENOTSUP:
		return errors.New("this program contains C code or a replacement of it, as those built with the tag gpu do: its threads cannot be confined")
	default:
		return errno
	}
}

// architectures are the values by which seccomp identifies the processor.
var architectures = map[string]uint32{"amd64": unix.AUDIT_ARCH_X86_64, "arm64": unix.AUDIT_ARCH_AARCH64}

// Offsets in struct seccomp_data, and the first number of the x32 system calls of amd64, which are
// refused as those of another processor are.
const (
	numberOffset  = 0
	archOffset    = 4
	firstArgument = 16
	firstX32      = 0x40000000
	refuse        = unix.SECCOMP_RET_ERRNO | uint32(unix.EACCES)
	allow         = unix.SECCOMP_RET_ALLOW
	load          = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
	jumpEqual     = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
	jumpAtLeast   = unix.BPF_JMP | unix.BPF_JGE | unix.BPF_K
	answer        = unix.BPF_RET | unix.BPF_K
	setFilter     = 1 // SECCOMP_SET_MODE_FILTER
	forAllThreads = 1 // SECCOMP_FILTER_FLAG_TSYNC
	unixDomain    = unix.AF_UNIX
)

// limitCalls installs a filter of system calls on all threads. Refused calls fail with EACCES.
func limitCalls(l Limits) error {
	program := filter(l)
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// The filter passes this property on to the other threads.
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	description := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	result, _, errno := unix.Syscall(unix.SYS_SECCOMP, setFilter, forAllThreads, uintptr(unsafe.Pointer(&description)))
	switch {
	case errno != 0:
		return errno
	case result != 0:
		return fmt.Errorf("thread %d has a filter of its own", result)
	}
	return nil
}

// filter returns the program of the filter.
func filter(l Limits) []unix.SockFilter {
	// io_uring makes system calls that the filter does not see, and the others act through another
	// process.
	refused := []uint32{unix.SYS_IO_URING_SETUP, unix.SYS_PTRACE, unix.SYS_PROCESS_VM_WRITEV}
	if l.Processes {
		refused = append(refused, unix.SYS_EXECVE, unix.SYS_EXECVEAT)
	}
	if l.Network {
		refused = append(refused, unix.SYS_CONNECT)
	}
	program := []unix.SockFilter{
		{Code: load, K: archOffset},
		{Code: jumpEqual, K: architectures[runtime.GOARCH], Jt: 1},
		{Code: answer, K: refuse},
		{Code: load, K: numberOffset},
		{Code: jumpAtLeast, K: firstX32, Jf: 1},
		{Code: answer, K: refuse},
	}
	for _, number := range refused {
		program = append(program, unix.SockFilter{Code: jumpEqual, K: number, Jf: 1}, unix.SockFilter{Code: answer, K: refuse})
	}
	if l.Network {
		program = append(program,
			unix.SockFilter{Code: jumpEqual, K: unix.SYS_SOCKET, Jf: 3},
			unix.SockFilter{Code: load, K: firstArgument},
			unix.SockFilter{Code: jumpEqual, K: unixDomain, Jt: 1},
			unix.SockFilter{Code: answer, K: refuse})
	}
	return append(program, unix.SockFilter{Code: answer, K: allow})
}
