package keys_test

import (
	"context"
	"fmt"

	"gosphere/runtime/interp"
	"gosphere/runtime/interp/std"
	"gosphere/runtime/interp/std/keys"
)

func Example() {
	s, err := interp.New(interp.Options{})
	if err != nil {
		panic(err)
	}
	defer s.Close()
	if err := s.Use(std.Core, keys.Library); err != nil {
		panic(err)
	}
	v, err := s.Eval(context.Background(), `import "crypto/rand"
		public, private, err := ed25519.GenerateKey(rand.Reader)
		var signer crypto.Signer = private
		signature, err := signer.Sign(nil, []byte("text"), crypto.Hash(0))
		ed25519.Verify(public, []byte("text"), signature) && err == nil`)
	fmt.Println(v, err)
	// Output: true <nil>
}
