//go:build !(blas || gpu) || windows

package device

import "errors"

func openBLAS(string) (*blas, error) {
	return nil, errors.New("this build is static and opens no shared libraries; make one that does by go build -tags blas, or unset the variable")
}
