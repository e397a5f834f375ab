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
    let tree = Answered {
        name: b"n",
        kind: b"tree",
        content: b"ab",
    };
    assert_eq!(
        parse_object(b"n tree 2", b"ab\nmore"),
        Some((tree, &b"more"[..]))
    );
    for (head, rest) in [
        (&b"n tree 3"[..], &b"ab\n"[..]),
        (b"n tree 2", b"ab"),
        (b"n tree 2", b"abc\n"),
        (b"n tree", b"ab\n"),
        (b"n tree 2 x", b"ab\n"),
        (b"tree 2", b"ab\n"),
    ] {
        assert_eq!(parse_object(head, rest), None);
    }
}

#[test]
fn of_several_answers_only_what_has_its_name_is_taken() {
    let empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";
    let other = "1".repeat(40);
    let answer =
        format!("{other} missing\n{other} tree 0\n\n{empty} tree 0\n\n{other} commit 2\nab\n");
    let ahead = Ahead::of(answer.as_bytes(), ObjectFormat::Sha1);
    assert!(ahead.trees.contains(empty));
    assert!(ahead.trees.len() == 1 && ahead.commits.is_empty());
}
