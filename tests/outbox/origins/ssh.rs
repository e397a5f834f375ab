//! A real `sshd` on loopback with its own keys and port, ended by its own pid.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A server, and a directory with an `ssh` in front of the real one that knows the key.
pub struct SshOrigin {
    child: Child,
    port: u16,
    dir: tempfile::TempDir,
}

impl SshOrigin {
    /// `None` where no `sshd` is installed.
    pub fn start() -> Option<SshOrigin> {
        let program = ["/usr/sbin/sshd", "/usr/local/sbin/sshd"]
            .iter()
            .find(|path| Path::new(path).is_file())?;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path();
        for key in ["host", "user", "stranger"] {
            let made = Command::new("ssh-keygen")
                .args(["-q", "-t", "ed25519", "-N", "", "-f"])
                .arg(path.join(key))
                .status()
                .unwrap();
            assert!(made.success());
        }
        // A key that is locked by a passphrase, for asking.
        let made = Command::new("ssh-keygen")
            .args(["-q", "-t", "ed25519", "-N", "a passphrase", "-f"])
            .arg(path.join("locked"))
            .status()
            .unwrap();
        assert!(made.success());
        let authorized = fs::read_to_string(path.join("user.pub")).unwrap()
            + &fs::read_to_string(path.join("locked.pub")).unwrap();
        fs::write(path.join("authorized"), authorized).unwrap();
        // The daemon wants this directory when it runs as root.
        let _ = fs::create_dir("/run/sshd");
        let (child, port) = launch(program, path);
        let origin = SshOrigin { child, port, dir };
        origin.write_client("user");
        Some(origin)
    }

    /// `ssh://127.0.0.1:PORT/PATH`.
    pub fn url(&self, repository: &Path) -> String {
        format!("ssh://127.0.0.1:{}{}", self.port, repository.display())
    }

    /// A `PATH` whose `ssh` uses the key of this name (`user`, `stranger`, `locked`).
    pub fn path_with(&self, key: &str) -> String {
        self.write_client(key);
        let rest = std::env::var("PATH").unwrap_or_default();
        format!(
            "{}:{rest}",
            self.dir.path().join(format!("bin-{key}")).display()
        )
    }

    fn write_client(&self, key: &str) {
        let path = self.dir.path();
        let known = format!(
            "[127.0.0.1]:{} {}",
            self.port,
            fs::read_to_string(path.join("host.pub")).unwrap()
        );
        fs::write(path.join("known"), known).unwrap();
        let config = format!(
            "IdentityFile {0}/{key}\nIdentitiesOnly yes\nUserKnownHostsFile {0}/known\n\
             StrictHostKeyChecking yes\nGlobalKnownHostsFile /dev/null\n",
            path.display()
        );
        let folder = path.join(format!("bin-{key}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config"), config).unwrap();
        let script = format!(
            "#!/bin/sh\nexec /usr/bin/ssh -F {}/config \"$@\"\n",
            folder.display()
        );
        fs::write(folder.join("ssh"), script).unwrap();
        fs::set_permissions(folder.join("ssh"), fs::Permissions::from_mode(0o755)).unwrap();
    }
}

fn launch(program: &str, path: &Path) -> (Child, u16) {
    let port = TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let shown = path.display();
    let config = format!(
        "ListenAddress 127.0.0.1\nPort {port}\nHostKey {shown}/host\nPidFile {shown}/pid\n\
         AuthorizedKeysFile {shown}/authorized\nStrictModes no\nUsePAM no\n\
         PasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\n"
    );
    fs::write(path.join("sshd_config"), config).unwrap();
    let log = fs::File::create(path.join("log")).unwrap();
    let child = Command::new(program)
        .args(["-D", "-e", "-f"])
        .arg(path.join("sshd_config"))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .unwrap();
    let started = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        let log = || fs::read_to_string(path.join("log")).unwrap_or_default();
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "no sshd: {}",
            log()
        );
        std::thread::sleep(Duration::from_millis(10));
    }
    (child, port)
}

impl Drop for SshOrigin {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Where a repository is reached over ssh.
pub fn absolute(path: &Path) -> PathBuf {
    path.canonicalize().unwrap()
}
