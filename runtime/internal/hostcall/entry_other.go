//go:build !amd64 && !arm64

package hostcall

const entryCode = 0
