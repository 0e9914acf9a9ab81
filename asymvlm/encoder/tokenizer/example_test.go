package tokenizer_test

import (
	"fmt"
	"log"
	"strings"

	"gosphere/asymvlm/encoder/tokenizer"
)

// A small WordPiece vocabulary. The id of a token is its line number, from 0.
func ExampleReadWordPiece() {
	const vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\ndog\nrun\n##ning\n.\n"
	t, err := tokenizer.ReadWordPiece(strings.NewReader(vocabulary), tokenizer.WordPieceOptions{})
	if err != nil {
		log.Fatal(err)
	}
	ids := t.Encode("A dog running.", 0)
	fmt.Println(ids)
	fmt.Println(t.Tokens(ids))
	// Output:
	// [2 4 5 6 7 8 3]
	// [[CLS] a dog run ##ning . [SEP]]
}
