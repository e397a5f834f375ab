use super::*;

#[test]
fn names_are_what_git_gives_in_both_formats() {
    assert_eq!(
        object_name(b"tree", b"", ObjectFormat::Sha1),
        "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
    );
    assert_eq!(
        object_name(b"tree", b"", ObjectFormat::Sha256),
        "6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321"
    );
}

#[test]
fn an_answer_is_taken_only_whole() {
    assert_eq!(
        parse_answer(b" tree 2", b"ab\n"),
        Some((&b"tree"[..], &b"ab"[..]))
    );
    for (head, rest) in [
        (&b" tree 3"[..], &b"ab\n"[..]),
        (b" tree 2", b"ab"),
        (b" tree 2", b"abc\n"),
        (b" tree", b"ab\n"),
        (b" tree 2 x", b"ab\n"),
        (b"tree 2", b"ab\n"),
    ] {
        assert_eq!(parse_answer(head, rest), None);
    }
}
