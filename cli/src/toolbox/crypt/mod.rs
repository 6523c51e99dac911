//! `arcfour crypt`

mod openssl;

use arcfour_formats::openssl::{Decryptor, Encryptor, Options, Text};

use self::openssl::{Direction, OpensslArgs, output_size, undecryptable};
use super::{files::FileArgs, keystream::CipherArgs};
use crate::{
    failure::{Failure, warn},
    filter::{Converter, Filter},
    input::Input,
    output::{Output, Shown},
    progress::Progress,
    stream::{self, Sink, Stage},
};

/// Encrypt or decrypt a file or a pipe
///
/// Encrypting and decrypting are the same: the keystream is xored into the data. A wrong key or a
/// changed file is not detected.
///
/// A new file gets its name when it is complete: a failure leaves none.
#[derive(clap::Args)]
#[command(
    override_usage = "arcfour crypt [OPTIONS] <KEY OPTION> [IN]",
    after_help = "\
Examples:
  arcfour crypt old.rc4 -o old.txt --key-file key.bin
  arcfour crypt --key-hex 00112233445566778899aabbccddeeff old.rc4 > plain
  arcfour crypt --key Quentin --out-hex < letter.txt
  arcfour crypt --key-env RC4_KEY --drop 3072 backup.bin -o backup.tar
  arcfour crypt --family vmpc --key-file key.bin --iv-hex 00112233 old.vmpc -o old.txt
  arcfour crypt --openssl -d --key-file pass.txt old.enc -o old.txt
  arcfour crypt --openssl -d -a --md md5 --key-file pass.txt older.b64 -o older.txt

Files of `openssl enc`: the key options give the passphrase as openssl's -pass does: --key TEXT is \
pass:TEXT, --key-env NAME is env:NAME, and --key-file PATH is file:PATH, the first line without its \
line feed; openssl's -kfile reads only 127 bytes of it. Nothing in such a file tells whether the \
passphrase is right or the file is unchanged: a wrong passphrase or a wrong --md gives nonsense and \
exit code 0. OpenSSL's default hash was md5 up to 1.0.2 and is sha256 since 1.1.0."
)]
pub struct Args {
    #[command(flatten)]
    files: FileArgs,
    /// Read hexadecimal digits, with one line end after them allowed
    #[arg(long)]
    in_hex: bool,
    /// Write hexadecimal digits, lower-case, with a line end only on a terminal
    #[arg(long)]
    out_hex: bool,
    #[command(flatten)]
    openssl: OpensslArgs,
    #[command(flatten)]
    cipher: CipherArgs,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        match self.openssl.request(self.cipher.backend) {
            Some((direction, options)) => self.openssl(direction, options),
            None => self.plain(),
        }
    }

    fn plain(self) -> Result<(), Failure> {
        let start = self.cipher.start(self.files.reads_stdin())?;
        let text = if self.out_hex { Shown::Text } else { Shown::Raw("--out-hex") };
        let (input, output) = self.files.open(text, start.guard.as_ref())?;
        let size = input.size().map(|size| match (self.in_hex, self.out_hex) {
            (true, false) => size / 2,
            (false, true) => size.saturating_mul(2),
            _ => size,
        });
        let filter = Filter::new(start.discard(), self.in_hex, self.out_hex);
        send(input, filter, output, size, self.out_hex)
    }

    fn openssl(self, direction: Direction, options: Options) -> Result<(), Failure> {
        let key = self.cipher.key.read_passphrase(self.files.reads_stdin())?;
        if key.bytes.is_empty() {
            refuse_or_warn_of_no_passphrase(direction)?;
        }
        let text = match (direction, options.text) {
            (Direction::Encrypt, Text::Raw) => Shown::Raw("--base64"),
            (Direction::Encrypt, _) => Shown::Text,
            (Direction::Decrypt, _) => Shown::Raw("a pipe"),
        };
        let (input, output) = self.files.open(text, key.guard.as_ref())?;
        let size = input.size().map(|size| output_size(direction, &options, size));
        match direction {
            Direction::Encrypt => {
                let failed = |error| Failure::read("random bytes", &error);
                let encryptor = Encryptor::new(&key.bytes, options).map_err(failed)?;
                let stage = Converter::new(encryptor, |never| match never {});
                send(input, stage, output, size, options.text == Text::Base64)
            }
            Direction::Decrypt => {
                let decryptor = Decryptor::new(&key.bytes, options);
                send(input, Converter::new(decryptor, undecryptable), output, size, false)
            }
        }
    }
}

/// Nobody means to encrypt under an empty passphrase, but openssl takes it: such files can be read.
fn refuse_or_warn_of_no_passphrase(direction: Direction) -> Result<(), Failure> {
    match direction {
        Direction::Encrypt => {
            Err(Failure::Usage("the passphrase is empty; anybody could read the file".into()))
        }
        Direction::Decrypt => {
            warn("arcfour", "warning: the passphrase is empty");
            Ok(())
        }
    }
}

/// Sends the input through the stage. A terminal gets a line end if the text has none.
fn send(
    input: Input,
    stage: impl Stage,
    mut output: Output,
    size: Option<u64>,
    endless: bool,
) -> Result<(), Failure> {
    stream::send_through(input, stage, &mut Progress::new(&mut output, size))?;
    if endless && output.is_terminal() {
        output.write(b"\n")?;
    }
    output.commit()
}
