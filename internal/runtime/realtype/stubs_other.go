//go:build !amd64 && !arm64

package realtype

// Stubs exist for amd64 and arm64 only; this line stops the build on others.
var _ = cells_need_amd64_or_arm64
