//! `arcfour crypt`

mod code_length;
mod guess;
mod hint;
mod openssl;
mod recognise;

use arcfour_formats::{
    openssl::{Decryptor, Encryptor, Options, Text},
    text::{quoted, quoted_path},
};

use self::{
    guess::{Begun, guess},
    hint::Hinting,
    openssl::{Direction, OpensslArgs, output_size, undecryptable},
};
use crate::console::{
    cipher::CipherArgs,
    failure::Failure,
    files::FileArgs,
    filter::{Converter, Filter},
    input::Input,
    output::{Output, Shown},
    progress::Progress,
    say::say,
    stream::{self, Sink, Source, Stage},
};

/// Encrypt or decrypt a file or a pipe
///
/// Encrypting and decrypting are the same: the keystream is xored into the data. A wrong key or a
/// changed file is not detected.
///
/// A new file gets its name only when it is complete, so a failure leaves no file.
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
  arcfour crypt --openssl -d --guess --key-file pass.txt forgotten.enc -o forgotten.txt

Files of `openssl enc`: the key options give the passphrase like openssl's -pass. --key TEXT is \
pass:TEXT, and --key-env NAME is env:NAME. --key-file PATH is file:PATH, the first line without its line \
feed; openssl's -kfile reads only 127 bytes of the line. Such a file does not show whether the passphrase \
is right or the file is unchanged. A wrong passphrase or a wrong --md gives random bytes and exit code 0. \
Then a hint on standard error says that the output looks random; rare kinds of compressed data look \
random too. OpenSSL's default digest was md5 up to 1.0.2 and is sha256 since 1.1.0."
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
    pub(crate) fn run(self) -> Result<(), Failure> {
        match self.openssl.request(self.cipher.backend)? {
            Some((direction, options)) => self.openssl(direction, options),
            None => self.plain(),
        }
    }

    fn plain(self) -> Result<(), Failure> {
        let start = self.cipher.start(self.files.reads_stdin())?;
        let text = if self.out_hex { Shown::Text } else { Shown::Raw("--out-hex") };
        let (input, output) = self.files.open(text, &[start.guard.as_ref()])?;
        let size = input.size().map(|size| match (self.in_hex, self.out_hex) {
            (true, false) => size / 2,
            (false, true) => size.saturating_mul(2),
            _ => size,
        });
        let filter = Filter::new(start.discard(), self.in_hex, self.out_hex);
        send(input, filter, output, size, self.out_hex)
    }

    fn openssl(mut self, direction: Direction, options: Options) -> Result<(), Failure> {
        let text = match (direction, options.text) {
            (Direction::Encrypt, Text::Raw) => Shown::Raw("--base64"),
            (Direction::Encrypt, _) => Shown::Text,
            (Direction::Decrypt, _) => Shown::Raw("a pipe"),
        };
        if let Some(key) = self.openssl.take_key(options.cipher)? {
            let (input, output) = self.files.open(text, &[])?;
            let size = input.size().map(|size| output_size(direction, &options, size));
            return match direction {
                Direction::Encrypt => {
                    encrypt(input, Encryptor::with_key(&key, options), output, size, options)
                }
                Direction::Decrypt => {
                    let advice = "the key or the cipher may be wrong";
                    decrypt(input, Decryptor::with_key(&key, options), output, size, advice)
                }
            };
        }
        let pass = quoted(self.cipher.key.openssl_pass());
        let key = self.cipher.key.read_passphrase(self.files.reads_stdin())?;
        if key.bytes.is_empty() {
            refuse_or_warn_of_no_passphrase(direction)?;
        }
        let (input, output) = self.files.open(text, &[key.guard.as_ref()])?;
        let size = input.size().map(|size| output_size(direction, &options, size));
        if let Some(choices) = self.openssl.choices() {
            let file = Begun::read(input)?;
            let guessed = guess(&key.bytes, &file, options, &choices)?;
            let path = (!self.files.reads_stdin()).then(|| quoted_path(self.files.parts().0));
            guessed.report(&pass, path.as_deref());
            let decryptor = Decryptor::new(&key.bytes, guessed.options());
            let stage = Converter::new(decryptor, undecryptable);
            return send(file, stage, output, size, false);
        }
        match direction {
            Direction::Encrypt => {
                let failed = |error| Failure::read("random bytes", &error);
                let encryptor = Encryptor::new(&key.bytes, options).map_err(failed)?;
                encrypt(input, encryptor, output, size, options)
            }
            Direction::Decrypt => {
                let advice =
                    "the passphrase or an option such as --md may be wrong: --guess tries all";
                decrypt(input, Decryptor::new(&key.bytes, options), output, size, advice)
            }
        }
    }
}

fn encrypt(
    input: Input,
    encryptor: Encryptor,
    output: Output,
    size: Option<u64>,
    options: Options,
) -> Result<(), Failure> {
    let stage = Converter::new(encryptor, |never| match never {});
    send(input, stage, output, size, options.text == Text::Base64)
}

fn decrypt(
    input: Input,
    decryptor: Decryptor,
    output: Output,
    size: Option<u64>,
    advice: &'static str,
) -> Result<(), Failure> {
    let stage = Converter::new(decryptor, undecryptable);
    send(input, Hinting::new(stage, advice), output, size, false)
}

/// Encrypting under an empty passphrase is refused as a mistake. Decrypting is allowed, because
/// openssl accepts an empty passphrase.
fn refuse_or_warn_of_no_passphrase(direction: Direction) -> Result<(), Failure> {
    match direction {
        Direction::Encrypt => {
            Err(Failure::Usage("the passphrase is empty; anybody could read the file".into()))
        }
        Direction::Decrypt => {
            say("warning: the passphrase is empty");
            Ok(())
        }
    }
}

/// Sends the input through the stage. A terminal gets a line end if the text has none.
fn send(
    input: impl Source,
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
