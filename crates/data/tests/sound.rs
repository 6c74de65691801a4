//! Sound: files put together byte by byte, and what is made of them.

mod support;

use support::{Folder, read, show, surface};

/// A file with these properties of its format, and samples.
fn wav(tag: u16, channels: u16, bits: u16, extensible: bool, samples: &[u8]) -> Vec<u8> {
    let mut format = if extensible { 0xfffe } else { tag }.to_le_bytes().to_vec();
    format.extend(channels.to_le_bytes());
    format.extend(8000u32.to_le_bytes());
    format.extend((8000 * u32::from(channels * bits / 8)).to_le_bytes());
    format.extend((channels * bits / 8).to_le_bytes());
    format.extend(bits.to_le_bytes());
    if extensible {
        format.extend([22, 0, 16, 0, 3, 0, 0, 0]);
        format.extend(tag.to_le_bytes());
        format.extend([0, 0, 0, 0, 16, 0, 128, 0, 0, 170, 0, 56, 155, 113]);
    }
    let mut bytes = b"RIFF\0\0\0\0WAVELIST\x03\0\0\0abc\0fmt ".to_vec();
    bytes.extend((format.len() as u32).to_le_bytes());
    bytes.extend(format);
    bytes.extend(b"data");
    bytes.extend((samples.len() as u32).to_le_bytes());
    bytes.extend(samples);
    bytes
}

fn check(bytes: &[u8], column: Option<&str>, wanted: &str, expected: &str) {
    let folder = Folder::new(&format!("wav-{:?}", std::thread::current().id()).replace(['(', ')'], ""));
    let path = folder.0.join("a.wav");
    std::fs::write(&path, bytes).expect("written");
    match read(&path, &surface(wanted), column) {
        Ok(value) => assert_eq!(show(&value), expected, "{wanted}"),
        Err(error) => {
            let text = format!("{}: {error}", error.code);
            assert!(!expected.is_empty() && text.contains(expected), "{wanted}\n got: {text}\nwant: {expected}");
        }
    }
}

#[test]
fn samples_of_every_width() {
    for extensible in [false, true] {
        let eight = wav(1, 1, 8, extensible, &[0, 128, 255]);
        check(&eight, None, "[]u8", "[0, 128, 255]");
        check(&eight, None, "[]f64", "[-1.0, 0.0, 0.9921875]");
        let sixteen = wav(1, 2, 16, extensible, &[0, 0, 0, 128, 255, 127, 1, 0]);
        check(&sixteen, None, "[][]i16", "[[0, -32768], [32767, 1]]");
        check(&sixteen, None, "[][]f32", "[[0.0, -1.0], [0.9999695, 3.0517578e-5]]");
        let wide = wav(1, 1, 24, extensible, &[1, 0, 0, 255, 255, 255, 0, 0, 64]);
        check(&wide, None, "[]i32", "[1, -1, 4194304]");
        check(&wide, None, "[]f64", "[1.1920928955078125e-7, -1.1920928955078125e-7, 0.5]");
        let wider = wav(1, 1, 32, extensible, &[0, 0, 0, 128]);
        check(&wider, None, "[]i32", "[-2147483648]");
        check(&wider, None, "[]f32", "[-1.0]");
        let float = wav(3, 1, 32, extensible, &0.25f32.to_le_bytes());
        check(&float, None, "[]f32", "[0.25]");
        check(&float, None, "[]f64", "[0.25]");
        let double = wav(3, 1, 64, extensible, &0.1f64.to_le_bytes());
        check(&double, None, "[]f64", "[0.1]");
        check(&double, None, "[]f32", "T0723");
        check(&sixteen, Some("rate"), "i32", "8000");
        check(&sixteen, Some("rate"), "i8", "T0730");
    }
}

#[test]
fn what_does_not_fit() {
    let stereo = wav(1, 2, 16, false, &[0; 8]);
    check(&stereo, None, "[]i16", "T0723: ");
    check(&stereo, None, "[][]i32", "holds [][]i16, and [][]i32 is wanted");
    check(&stereo, Some("volume"), "i32", "T0724");
    check(&wav(7, 1, 8, false, &[0]), None, "[]u8", "T0726");
    check(&wav(1, 0, 16, false, &[0; 4]), None, "[]i16", "T0722");
    check(b"RIFF\0\0\0\0WAVEdata\0\0\0\0", None, "[]i16", "samples come before");
    check(b"RIFF\0\0\0\0WAVEfmt \xff\xff\xff\xff", None, "[]i16", "it ends too early");
    check(&stereo[..stereo.len() - 1], None, "[][]i16", "it ends too early");
    check(b"ID3", None, "[]i16", "it does not begin like a WAV file");
}
