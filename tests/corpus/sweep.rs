//! The committed corpus and its neighbourhood.

use std::path::{Path, PathBuf};

use super::decoders::{ALL, Decoder};

fn corpus(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(name)
}

/// Whether a seed was found by the fuzzer, which names it after its bytes. The others were written
/// to be right, or nearly.
fn is_found(path: &Path) -> bool {
    let name = path.file_name().unwrap().to_str().unwrap();
    name.len() == 40 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn read(name: &str, wanted: impl Fn(&Path) -> bool) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(corpus(name))
        .unwrap_or_else(|error| panic!("fuzz/corpus/{name}: {error}"))
        .map(|entry| entry.unwrap().path())
        .filter(|path| wanted(path))
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

fn seeds(name: &str) -> Vec<Vec<u8>> {
    read(name, |path| !is_found(path))
}

/// The places of a text at which it is changed: all of them, or every so many.
fn places(length: usize, most: usize) -> impl Iterator<Item = usize> {
    let step = length.div_ceil(most).max(1);
    (0..length).step_by(step)
}

/// Feeds the seed with every bit flipped, cut at every length, and with foreign bytes behind it.
fn neighbourhood(decode: fn(&[u8]), seed: &[u8], most: usize) -> usize {
    let mut count = 0;
    let mut feed = |bytes: &[u8]| {
        decode(bytes);
        count += 1;
    };
    feed(seed);
    for byte in [b' ', b'\n', b'}', b'0', 0, 0xff] {
        let mut longer = seed.to_vec();
        longer.push(byte);
        feed(&longer);
    }
    for place in places(seed.len(), most) {
        feed(&seed[..place]);
        for bit in 0..8 {
            let mut other = seed.to_vec();
            other[place] ^= 1 << bit;
            feed(&other);
        }
        let mut shorter = seed.to_vec();
        shorter.remove(place);
        feed(&shorter);
        let mut doubled = seed.to_vec();
        doubled.insert(place, seed[place]);
        feed(&doubled);
    }
    count
}

#[test]
fn every_decoder_answers_or_refuses_its_corpus_and_every_small_change_of_it() {
    let long = crate::figures::is_long();
    let most = if long { 4000 } else { 80 };
    for (name, decode) in ALL {
        let seeds = seeds(name);
        assert!(!seeds.is_empty(), "fuzz/corpus/{name} has no seed");
        let fed: usize = seeds
            .iter()
            .map(|seed| neighbourhood(decode, seed, most))
            .sum();
        let found = read(name, is_found);
        for input in &found {
            decode(input);
        }
        crate::figures::tell(&format!(
            "{name}: {} seeds with {fed} changes, {} inputs that the fuzzer found, all answered or refused",
            seeds.len(),
            found.len()
        ));
    }
}

#[test]
fn every_decoder_has_a_fuzz_target_and_every_target_a_decoder() {
    let manifest =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/Cargo.toml"))
            .unwrap();
    let names: Vec<&str> = ALL.iter().map(|(name, _): &Decoder| *name).collect();
    for name in &names {
        assert!(manifest.contains(&format!("name = \"{name}\"\n")), "{name}");
    }
    let targets = manifest.matches("[[bin]]").count();
    assert_eq!(targets, names.len());
}

#[test]
fn a_frame_with_any_bit_flipped_any_end_cut_off_or_any_byte_behind_it_is_refused() {
    use amiss::ledger::file::FrameKind;
    let kinds = [
        ("frame_root", FrameKind::Root),
        ("frame_capacity", FrameKind::Capacity),
        ("frame_row", FrameKind::Row),
    ];
    for (name, kind) in kinds {
        let mut refused = 0;
        let mut refuse = |bytes: &[u8], what: &str, place: usize| {
            assert!(kind.reread(bytes).is_err(), "{name}: {what} at {place}");
            refused += 1;
        };
        for seed in seeds(name) {
            assert_eq!(kind.reread(&seed).unwrap(), seed, "{name}: the seed itself");
            for place in 0..seed.len() {
                refuse(&seed[..place], "cut", place);
                for bit in 0..8 {
                    let mut other = seed.clone();
                    other[place] ^= 1 << bit;
                    refuse(&other, "flipped", place);
                }
            }
            for byte in 0..=255 {
                let mut longer = seed.clone();
                longer.push(byte);
                refuse(&longer, "appended", usize::from(byte));
            }
        }
        crate::figures::tell(&format!("{name}: {refused} changed frames, all refused"));
    }
}

#[test]
fn a_signed_request_with_any_bit_of_its_body_or_signature_flipped_is_refused() {
    use amiss::code::Coded;
    use amiss::ingress::{Headers, Request, verify};
    let body = br#"{"action":"closed","number":7}"#;
    let route = super::decoders::lane("github");
    let signed = super::decoders::sign_for(&route, body);
    let header = signed.1.as_bytes();
    let judge = |header: &[u8], body: &[u8]| {
        let mut headers = Headers::default();
        headers.push("X-Hub-Signature-256".into(), header.to_vec());
        let request = Request::new(None, headers, body.to_vec());
        verify(&route, request, super::decoders::now())
            .map(|_| ())
            .map_err(|error| error.code().to_string())
    };
    // Authentic, and no work.
    assert_eq!(judge(header, body), Ok(()));
    let mut refused = 0;
    for place in 0..body.len() * 8 {
        let mut other = body.to_vec();
        other[place / 8] ^= 1 << (place % 8);
        assert_eq!(judge(header, &other), Err("INGRESS_SIGNATURE".into()));
        refused += 1;
    }
    for place in 0..header.len() * 8 {
        let mut other = header.to_vec();
        other[place / 8] ^= 1 << (place % 8);
        let code = judge(&other, body).unwrap_err();
        assert!(
            code.starts_with("INGRESS_") && code != "INGRESS_PAYLOAD",
            "{code}"
        );
        refused += 1;
    }
    for length in 0..body.len() {
        assert_eq!(
            judge(header, &body[..length]),
            Err("INGRESS_SIGNATURE".into())
        );
        refused += 1;
    }
    for byte in 0..=255 {
        let mut longer = body.to_vec();
        longer.push(byte);
        assert_eq!(judge(header, &longer), Err("INGRESS_SIGNATURE".into()));
        refused += 1;
    }
    crate::figures::tell(&format!(
        "signed request: {refused} changed ones, all refused"
    ));
}
