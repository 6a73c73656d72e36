//! Arguments of `randgen explore`.

use super::project::ModuleArgs;
use clap::{Args, ValueEnum};
use pipeline::explore;

/// Arguments of `randgen explore`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  randgen explore --class com.shop.Cart
          Call all methods with a few values in each state, up to three calls deep, and write a test for each state
  randgen explore --class Stack --methods push,pop --arguments 'push=1..3' --iterations 5
          Call two methods, push with 1, 2 and 3, up to five calls deep
  randgen explore --class TreeMap --methods 'put,remove(int)' --arguments 'put=1..4,null;5,\"five\"' --arguments int=1..5
          Call put with each of 1 to 4 and null, and with 5 and a string; call other methods that take an int with 1 to 5
  randgen explore --class Account --arguments 'new=0;100' --state-abstraction monitor-equals --keep new-edges
          Construct the object with 0 and with 100, and compare its states by the fields that equals reads")]
pub struct ExploreArgs {
    /// Explore objects of this class, such as com.shop.Cart
    #[arg(long, value_name = "CLASS", help_heading = "Exploration")]
    pub class: String,
    /// Call only these methods, such as 'add,remove(int)' [default: all]
    #[arg(long, value_name = "METHODS", value_parser = methods, help_heading = "Exploration")]
    pub methods: Option<Names>,
    /// Call a method with these arguments: lists separated by `;`, and ranges, such as 'put=1..4,null;5,"five"'; `new` means
    /// the constructor, a type's name all methods with a parameter of that type; can be repeated [default: a few values of
    /// each type, and constants of the class]
    #[arg(long, value_name = "METHOD=VALUES", allow_hyphen_values = true, help_heading = "Exploration")]
    pub arguments: Vec<String>,
    /// Call at most this many methods on an object, one after the other
    #[arg(long, value_name = "N", default_value_t = 3, help_heading = "Exploration",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub iterations: u32,
    /// Stop the exploration before it stores more than this many states
    #[arg(long, value_name = "N", default_value_t = 100_000, help_heading = "Exploration",
        value_parser = clap::value_parser!(u32).range(1..))]
    pub max_states: u32,
    /// Treat integers, chars and booleans among the arguments as symbolic values, and solve path conditions with z3
    #[arg(long, help_heading = "Exploration")]
    pub symbolic: bool,
    /// Write a test for each new state, for each call that covers a new edge, or write no tests
    #[arg(long, value_name = "WHAT", value_enum, default_value_t, help_heading = "Exploration")]
    pub keep: Keep,
    /// The project that has the class.
    #[command(flatten)]
    pub modules: ModuleArgs,
}

/// What an exploration writes tests for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Keep {
    /// Each new state
    #[default]
    NewStates,
    /// Each call that covers a new edge
    NewEdges,
    /// No tests
    Nothing,
}

impl ExploreArgs {
    /// The settings of the exploration.
    pub fn exploration(&self) -> explore::Settings {
        explore::Settings {
            class: self.class.clone(),
            methods: self.methods.clone().unwrap_or_default(),
            arguments: self.arguments.clone(),
            iterations: self.iterations,
            max_states: self.max_states,
            symbolic: self.symbolic,
            keep: match self.keep {
                Keep::NewStates => explore::Keep::NewStates,
                Keep::NewEdges => explore::Keep::NewEdges,
                Keep::Nothing => explore::Keep::Nothing,
            },
        }
    }
}

// Clap gives a field of type `Vec` a meaning of its own: one flag for each member. This is a list in one flag.
type Names = Vec<String>;

/// Splits names of methods at commas that are in no parentheses.
fn methods(text: &str) -> Result<Names, String> {
    let mut depth = 0;
    let names = text.split(|letter| {
        depth += i32::from(letter == '(') - i32::from(letter == ')');
        letter == ',' && depth == 0
    });
    let names: Names = names.map(|name| name.trim().to_string()).collect();
    if names.iter().any(String::is_empty) { Err("expected names separated by commas".to_string()) } else { Ok(names) }
}
