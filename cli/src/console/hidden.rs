//! A line typed at the terminal without an echo, byte for byte.

use std::{
    fs::{File, OpenOptions},
    io::{self, ErrorKind, Read, Write},
};

use arcfour_files::{OnSignal, handle_signals, on_signal};
use rustix::termios::{
    InputModes, LocalModes, OptionalActions, SpecialCodeIndex, Termios, tcgetattr, tcsetattr,
};
use zeroize::Zeroizing;

/// The longest line, in bytes. Linux cuts a longer line to 4095 bytes, and says nothing.
const LONGEST: usize = 4094;
/// The value of a special key that switches it off.
const NO_KEY: u8 = if cfg!(target_os = "linux") { 0 } else { 0xff };

/// Asks for a line, and returns it without its line end.
///
/// # Errors
/// If there is no terminal, the input ends, or the line is too long.
pub fn hidden_line(prompt: &str) -> io::Result<Zeroizing<Vec<u8>>> {
    let mut hidden = Hidden::open()?;
    hidden.terminal.write_all(prompt.as_bytes())?;
    hidden.read_line()
}

/// A terminal that shows only line ends of what is typed. Dropping this restores it, and so does a
/// signal that ends the program.
struct Hidden {
    terminal: File,
    settings: Termios,
    _on_signal: OnSignal,
}

impl Hidden {
    fn open() -> io::Result<Self> {
        let terminal = OpenOptions::new().read(true).write(true).open("/dev/tty")?;
        let settings = tcgetattr(&terminal)?;
        handle_signals();
        let (mut same, before) = (terminal.try_clone()?, settings.clone());
        let on_signal = on_signal(move || {
            let _ = tcsetattr(&same, OptionalActions::Now, &before); // an error has no receiver
            let _ = same.write_all(b"\n"); // the shell's prompt gets its own line
        });
        let hidden = Self { terminal, settings, _on_signal: on_signal };
        tcsetattr(&hidden.terminal, OptionalActions::Now, &hidden.without_echo())?;
        Ok(hidden)
    }

    /// The settings for the line. The system edits lines, and Control-C and Control-\ end the program. Control-Z is
    /// switched off: a shell that continues the program does not switch the echo off again.
    fn without_echo(&self) -> Termios {
        let mut settings = self.settings.clone();
        settings.local_modes.remove(LocalModes::ECHO | LocalModes::ECHOE | LocalModes::ECHOK);
        settings.local_modes.insert(LocalModes::ECHONL | LocalModes::ICANON | LocalModes::ISIG);
        settings.input_modes.remove(InputModes::ISTRIP | InputModes::INLCR | InputModes::IGNCR);
        settings.input_modes.insert(InputModes::ICRNL);
        settings.special_codes[SpecialCodeIndex::VSUSP] = NO_KEY;
        settings
    }

    fn read_line(&mut self) -> io::Result<Zeroizing<Vec<u8>>> {
        let mut line = Zeroizing::new(vec![0; LONGEST + 2]);
        let mut len = 0;
        while !line[..len].ends_with(b"\n") {
            // One read returns at most one line.
            match self.terminal.read(&mut line[len..]) {
                Ok(0) if len <= LONGEST => {
                    return Err(io::Error::new(ErrorKind::UnexpectedEof, "the input ended"));
                }
                Ok(count) if len + count <= LONGEST + 1 => len += count,
                Ok(_) => {
                    let message = format!("it has more than {LONGEST} bytes");
                    return Err(io::Error::new(ErrorKind::InvalidInput, message));
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        line.truncate(len - 1);
        Ok(line)
    }
}

impl Drop for Hidden {
    fn drop(&mut self) {
        let _ = tcsetattr(&self.terminal, OptionalActions::Now, &self.settings); // an error has no receiver
    }
}
