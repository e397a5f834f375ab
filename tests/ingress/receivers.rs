//! The set-ups of `docs/receivers.md`, really started, with the files of that page: nginx with
//! fcgiwrap, the `webhook` daemon, and the shell loop, for every forge.

mod faults;

use std::io::Write as _;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::common::receiver::fixture_bytes;

/// Debian's packages that the set-ups need; the project's own check installs them.
const TOOLS: [&str; 5] = ["webhook", "nginx", "fcgiwrap", "jq", "git"];
const SCRIPTS: [&str; 7] = [
    "receive.sh",
    "receive.cgi",
    "flow.sh",
    "worker.sh",
    "loop.sh",
    "clean.sh",
    "publish.sh",
];
const FORGES: [&str; 4] = ["github", "gitea", "forgejo", "gitlab"];

fn find(tool: &str) -> PathBuf {
    ["/usr/bin", "/usr/sbin", "/bin", "/usr/local/bin"]
        .iter()
        .map(|folder| Path::new(folder).join(tool))
        .find(|path| path.exists())
        .unwrap_or_else(|| panic!("{tool} is missing: apt-get install {}", TOOLS.join(" ")))
}

/// The block of the page that is this file.
fn page(name: &str) -> String {
    let text = include_str!("../../docs/receivers.md");
    let fence = format!(" file={name}\n");
    let start = text
        .find(&fence)
        .unwrap_or_else(|| panic!("no block {name}"))
        + fence.len();
    text[start..start + text[start..].find("```").unwrap()].to_owned()
}

/// The page's folder, one for each forge, in a private place.
struct Gates {
    dir: tempfile::TempDir,
}

/// A process that is ended by its own id.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Gates {
    fn new() -> Gates {
        Gates::of(&FORGES)
    }

    fn of(forges: &[&str]) -> Gates {
        let gates = Gates {
            dir: tempfile::tempdir().unwrap(),
        };
        gates.sh(&format!(
            "mkdir shims
             QUICK_START_DIR={} AMISS={} sh {}/docs/quick-start.sh prepare
             for refs in pull merge-requests; do
                 git -C made/repository update-ref refs/$refs/4/head refs/heads/topic
             done",
            gates.path("made").display(),
            env!("CARGO_BIN_EXE_amiss"),
            env!("CARGO_MANIFEST_DIR"),
        ));
        std::fs::write(gates.path("setup.sh"), gates.here(&page("setup.sh"))).unwrap();
        for forge in forges {
            gates.fill(forge);
        }
        gates
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn sh(&self, script: &str) {
        let output = Command::new("sh")
            .args(["-ec", script])
            .current_dir(self.dir.path())
            .env_remove("AMISS_ROOT")
            .output()
            .unwrap();
        assert!(output.status.success(), "{script}: {output:?}");
    }

    /// The text of the page with this machine's places in it.
    fn here(&self, text: &str) -> String {
        let tools = Path::new(env!("CARGO_BIN_EXE_amiss")).parent().unwrap();
        let shims = self.path("shims").display().to_string();
        text.replace("/srv/gate", self.dir.path().to_str().unwrap())
            .replace("/usr/local/bin", &format!("{shims}:{}", tools.display()))
            .replace(
                "/run/fcgiwrap.socket",
                self.path("fcgi.socket").to_str().unwrap(),
            )
    }

    fn fill(&self, forge: &str) {
        self.sh(&format!(
            "made=$PWD/made
             mkdir -m 700 {forge}
             cd {forge}
             REPOSITORY=$made/repository ACTION=$made/action sh ../setup.sh"
        ));
        let keyring = if forge == "gitlab" {
            "gitlab/keyring.json"
        } else {
            "keyring.json"
        };
        let files = [
            ("route.json", format!("{forge}/route.json")),
            ("keyring.json", keyring.into()),
        ];
        for (name, block) in files {
            std::fs::write(self.path(forge).join(name), page(&block)).unwrap();
        }
        if forge == "gitlab" {
            std::fs::write(
                self.path("gitlab/hook.key"),
                fixture_bytes("gitlab/hook.key"),
            )
            .unwrap();
        }
        for name in SCRIPTS {
            let path = self.path(forge).join(name);
            std::fs::write(&path, self.here(&page(name))).unwrap();
            std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o700)).unwrap();
        }
    }

    /// A request as this forge would sign it, about the branch `topic` of the repository.
    fn signed(&self, forge: &str) -> Value {
        let made: Value =
            serde_json::from_slice(&std::fs::read(self.path("made/pull-request.json")).unwrap())
                .unwrap();
        let candidate = made["pull_request"]["head"]["sha"].clone();
        let body = match forge {
            "github" => made,
            "gitlab" => {
                let mut body: Value =
                    serde_json::from_slice(&fixture_bytes("gitlab/merge_request.open.json"))
                        .unwrap();
                body["object_attributes"]["iid"] = 4.into();
                body["object_attributes"]["last_commit"]["id"] = candidate;
                body
            }
            _ => {
                let mut body: Value =
                    serde_json::from_slice(&fixture_bytes("gitea/pull_request.opened.json"))
                        .unwrap();
                body["pull_request"]["head"]["sha"] = candidate;
                body
            }
        };
        let mut child = Command::new(env!("CARGO_BIN_EXE_amiss"))
            .args(["ingress-sign", "--route"])
            .arg(self.path(forge).join("route.json"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        child
            .stdin
            .take()
            .unwrap()
            .write_all(body.to_string().as_bytes())
            .unwrap();
        let output = child.wait_with_output().unwrap();
        let mut request: Value = serde_json::from_slice(&output.stdout).unwrap();
        if forge == "forgejo" {
            // Forgejo sends both headers with one value.
            let twin = request["headers"][1][1].clone();
            request["headers"]
                .as_array_mut()
                .unwrap()
                .push(json!(["X-Forgejo-Signature", twin]));
        }
        request
    }

    /// Everything in the spool of a forge through its flow, which must complete it.
    fn complete(&self, forge: &str, script: &str) {
        self.sh(&format!("cd {forge} && ./{script}"));
        let folder = self.path(forge);
        let answers = std::fs::read_to_string(folder.join("answers.json")).unwrap();
        let log = std::fs::read_to_string(folder.join("flow.log")).unwrap_or_default();
        let last: Value = serde_json::from_str(answers.lines().last().unwrap()).unwrap();
        assert_eq!(
            last["completion"]["result"], "completed",
            "{forge}: {answers}\n{log}"
        );
        assert!(folder.join("published.json").exists(), "{forge}");
        for empty in ["spool", "inbox", "failed"] {
            let left = std::fs::read_dir(folder.join(empty)).unwrap().count();
            assert_eq!(left, 0, "{forge}: {empty}");
        }
    }
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port()
}

fn wait_until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "{what} did not come");
        std::thread::yield_now();
    }
}

/// Posts a request document and gives the HTTP status.
fn post(url: &str, request: &Value) -> u16 {
    let agent: ureq::Agent = ureq::Agent::config_builder()
        .http_status_as_error(false)
        .build()
        .into();
    let mut post = agent.post(url);
    for header in request["headers"].as_array().unwrap() {
        post = post.header(header[0].as_str().unwrap(), header[1].as_str().unwrap());
    }
    post.send(request["body"].as_str().unwrap())
        .unwrap()
        .status()
        .as_u16()
}

fn spooled(folder: &Path) -> usize {
    std::fs::read_dir(folder.join("spool")).unwrap().count()
}

/// Posts for every forge: forged first, which leaves nothing behind, then as the forge signs it.
fn post_to_all(gates: &Gates, base: &str, refused: u16, accepted: u16) {
    for forge in FORGES {
        let url = format!("{base}/{forge}");
        let good = gates.signed(forge);
        let mut forged = good.clone();
        forged["body"] = forged["body"]
            .as_str()
            .unwrap()
            .replace("opened", "Opened")
            .into();
        assert_eq!(post(&url, &forged), refused, "{forge}");
        assert_eq!(spooled(&gates.path(forge)), 0, "{forge}");
        let status = post(&url, &good);
        let log = std::fs::read_to_string(gates.path(forge).join("receive.log"));
        assert_eq!(status, accepted, "{forge}: {log:?}");
        assert_eq!(spooled(&gates.path(forge)), 1, "{forge}");
        gates.complete(forge, "worker.sh");
        // The forge delivers once more: the record answers, nothing runs.
        assert_eq!(post(&url, &good), accepted, "{forge}");
        gates.sh(&format!(
            "cd {forge} && ./worker.sh && tail -n 1 answers.json | jq -e '.claim.result == \"duplicate\"'"
        ));
    }
}

#[test]
fn the_webhook_daemon_hands_every_forges_request_to_the_flow() {
    let gates = Gates::new();
    let port = free_port();
    std::fs::write(gates.path("hooks.json"), gates.here(&page("hooks.json"))).unwrap();
    let _daemon = Running(
        Command::new(find("webhook"))
            .arg("-hooks")
            .arg(gates.path("hooks.json"))
            .args(["-ip", "127.0.0.1", "-port", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    wait_until("the webhook daemon", || {
        TcpStream::connect(("127.0.0.1", port)).is_ok()
    });
    post_to_all(&gates, &format!("http://127.0.0.1:{port}/hooks"), 500, 200);
}

#[test]
fn nginx_with_fcgiwrap_hands_every_forges_request_to_the_flow() {
    let gates = Gates::new();
    let port = free_port();
    let socket = gates.path("fcgi.socket");
    let _wrap = Running(
        Command::new(find("fcgiwrap"))
            .arg("-s")
            .arg(format!("unix:{}", socket.display()))
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    wait_until("fcgiwrap", || socket.exists());
    // The page's server in the smallest nginx around it.
    let place = gates.dir.path().display();
    let server = gates
        .here(&page("nginx.conf"))
        .replace("127.0.0.1:8080", &format!("127.0.0.1:{port}"));
    let user = if rustix::process::geteuid().is_root() {
        "user root;"
    } else {
        ""
    };
    let config = format!(
        "daemon off; master_process off; {user} pid {place}/nginx.pid; error_log {place}/error.log;
         events {{}}
         http {{ access_log off; client_body_temp_path {place}/body; fastcgi_temp_path {place}/fcgi;
                 proxy_temp_path {place}/proxy; uwsgi_temp_path {place}/uwsgi;
                 scgi_temp_path {place}/scgi;
                 {server} }}"
    );
    std::fs::write(gates.path("whole.conf"), config).unwrap();
    let _nginx = Running(
        Command::new(find("nginx"))
            .arg("-p")
            .arg(gates.dir.path())
            .arg("-c")
            .arg(gates.path("whole.conf"))
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
    );
    wait_until("nginx", || TcpStream::connect(("127.0.0.1", port)).is_ok());
    post_to_all(&gates, &format!("http://127.0.0.1:{port}/hooks"), 403, 202);
}

#[test]
fn the_shell_loop_takes_every_forges_request_through_the_flow() {
    let gates = Gates::new();
    for forge in FORGES {
        let request = gates.signed(forge).to_string();
        std::fs::write(gates.path(forge).join("inbox/1.json"), request).unwrap();
        gates.complete(forge, "loop.sh once");
        let mut forged = gates.signed(forge);
        forged["body"] = "{}".into();
        std::fs::write(gates.path(forge).join("inbox/2.json"), forged.to_string()).unwrap();
        gates.sh(&format!(
            "cd {forge} && ./loop.sh once && [ -e failed/2.json ]"
        ));
    }
}
