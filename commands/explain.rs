//! `amiss explain`.

use amiss::code::Code;
use clap::builder::PossibleValuesParser;
use clap::{Args, ValueEnum};
use serde::Serialize;

use crate::stream::{Output, Status};

#[derive(Debug, Args)]
#[command(after_help = "Example:
  amiss explain BUSY --format text")]
pub struct Arguments {
    /// The codes; without any, all of them
    #[arg(
        value_name = "CODE",
        ignore_case = true,
        hide_possible_values = true,
        value_parser = PossibleValuesParser::new(names())
    )]
    codes: Vec<String>,

    /// Text on a terminal and JSON elsewhere, unless said
    #[arg(long, value_name = "FORMAT")]
    format: Option<Format>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    Json,
    Text,
}

#[derive(Serialize, schemars::JsonSchema)]
pub struct Answer {
    explain: Explanation,
}

#[derive(Serialize, schemars::JsonSchema)]
struct Explanation {
    code: Code,
    status: u8,
    meaning: &'static str,
    remedy: &'static str,
}

pub fn run(arguments: &Arguments) -> Status {
    let mut output = Output::new();
    let mut status = Status::OK;
    let format = arguments.format.unwrap_or(if output.is_terminal() {
        Format::Text
    } else {
        Format::Json
    });
    for code in chosen(&arguments.codes) {
        status.keep_first(match format {
            Format::Text => output.write_line(&text(code)),
            Format::Json => output.print(&Answer {
                explain: Explanation {
                    code,
                    status: code.status(),
                    meaning: code.meaning(),
                    remedy: code.remedy(),
                },
            }),
        });
    }
    status
}

/// Words that messages say and that are no codes of their own, each with the code that they come with.
const WORDS: [(&str, Code); 1] = [("DELIVERY_PENDING", Code::TaskBusy)];

/// Everything that can be asked for.
fn names() -> impl Iterator<Item = &'static str> {
    let codes = Code::ALL.iter().map(|code| code.name());
    codes.chain(WORDS.iter().map(|(word, _)| *word))
}

/// What a name stands for.
fn code_of(name: &str) -> Option<Code> {
    let word = WORDS.iter().find(|(word, _)| *word == name);
    word.map(|(_, code)| *code).or_else(|| Code::parse(name))
}

/// The codes asked for; the parser has let through only names that stand for one, in any case.
fn chosen(names: &[String]) -> Vec<Code> {
    if names.is_empty() {
        return Code::ALL.to_vec();
    }
    names
        .iter()
        .filter_map(|name| code_of(&name.to_ascii_uppercase()))
        .collect()
}

fn text(code: Code) -> String {
    format!(
        "{code} (status {})\n  {}\n  What to do: {}",
        code.status(),
        code.meaning(),
        code.remedy()
    )
}
