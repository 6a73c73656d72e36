//! Calls of a method, or states of a class, as variables and rows; and whether an axiom holds in a row.

use super::SpecifiedMethod;
use super::axiom::{Axiom, AxiomTerm, Moment, Relation, Variable};
use super::observations::{CallId, Ending, Observations, ObservedCall, StateId, ValueId};
use model::execution::trace::Datum;
use model::jvm::ClassName;
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// What a variable holds in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cell {
    /// The variable is not there: of another class, or behind null.
    Absent,
    /// An integer.
    Number(i64),
    /// Anything but an integer.
    Value(ValueId),
}

/// What a variable holds in each row.
#[derive(Clone, Debug)]
pub struct Column {
    /// The variable.
    pub variable: Variable,
    /// By row.
    pub cells: Vec<Cell>,
}

/// Rows of variables.
pub struct Table<'a> {
    /// What numbers of values mean.
    pub observations: &'a Observations,
    /// Sorted; fields before what observers say of them.
    pub columns: Vec<Column>,
    /// How many there are.
    pub rows: usize,
    /// What each call threw.
    pub thrown: Vec<Option<&'a ClassName>>,
    by_variable: FxHashMap<Variable, usize>,
    /// The observer that the method itself is, if it is one.
    own: Option<String>,
}

impl<'a> Table<'a> {
    fn new(observations: &'a Observations) -> Table<'a> {
        let (columns, thrown) = (Vec::new(), Vec::new());
        Table { observations, columns, rows: 0, thrown, by_variable: FxHashMap::default(), own: None }
    }

    /// Of calls of the method, in their order.
    pub fn of_calls(observations: &'a Observations, method: &SpecifiedMethod, calls: &[CallId]) -> Table<'a> {
        let mut table = Table::new(observations);
        table.own = method.parameters.is_empty().then(|| format!("{}()", method.name));
        for &id in calls {
            table.add_call(method, observations.call(id));
        }
        table.pad();
        table
    }

    /// Of states, as they are between calls.
    pub fn of_states(observations: &'a Observations, states: impl Iterator<Item = ValueId>) -> Table<'a> {
        let mut table = Table::new(observations);
        for state in states {
            table.add(Moment::Exit, "this", state, true);
            table.end_row(None);
        }
        table.pad();
        table
    }

    fn add_call(&mut self, method: &SpecifiedMethod, call: &'a ObservedCall) {
        let names = method.argument_names();
        for (moment, inputs) in [(Moment::Entry, &call.before), (Moment::Exit, &call.after)] {
            for (index, &input) in inputs.iter().enumerate() {
                if call.has_receiver && index == 0 {
                    self.add(moment, "this", input, true);
                    continue;
                }
                let Some(name) = names.get(index - usize::from(call.has_receiver)) else { continue };
                if moment == Moment::Entry {
                    self.add(moment, name, input, false);
                } else if self.elements_of(input).is_some() {
                    // Of arguments, what a method does to arrays and collections is of interest.
                    self.add(moment, &format!("post({name})"), input, false);
                }
            }
        }
        let thrown = match &call.ending {
            Ending::Returned(None) => None,
            Ending::Returned(Some(value)) => {
                // A constructor's result is the object itself.
                let path = if method.is_constructor() { "this" } else { Variable::RESULT };
                self.add(Moment::Exit, path, *value, method.is_constructor());
                None
            }
            Ending::Threw(exception) => Some(self.observations.exception(*exception)),
        };
        self.end_row(thrown);
    }

    fn end_row(&mut self, thrown: Option<&'a ClassName>) {
        self.rows += 1;
        self.thrown.push(thrown);
    }

    /// Adds a variable, and those that follow from it; fields of other objects than the receiver are their own affair.
    fn add(&mut self, moment: Moment, path: &str, value: ValueId, with_fields: bool) {
        let observations = self.observations;
        let Some((_, state)) = observations.state_of(value) else {
            self.add_datum(moment, path, value);
            return;
        };
        if let Some(elements) = self.elements_of(value) {
            self.add_datum(moment, path, elements);
            return;
        }
        self.set(moment, path, Cell::Value(value));
        for &(name, value) in &*state.variables {
            let name = observations.name(name);
            // What a method says of itself is no news.
            if self.own.as_deref() == Some(name) {
                continue;
            }
            if with_fields || name.ends_with("()") {
                self.add_datum(moment, &format!("{path}.{name}"), value);
            }
        }
    }

    /// What an array or a collection of the JDK holds.
    fn elements_of(&self, value: ValueId) -> Option<ValueId> {
        match *self.observations.state_of(value)?.1.variables {
            [(name, elements)] if self.observations.name(name).is_empty() => Some(elements),
            _ => None,
        }
    }

    fn add_datum(&mut self, moment: Moment, path: &str, value: ValueId) {
        match self.observations.datum(value) {
            Some(Datum::Integer(number)) => self.set(moment, path, Cell::Number(*number)),
            Some(Datum::Text(text)) => {
                self.set(moment, path, Cell::Value(value));
                self.set(moment, &format!("length({path})"), Cell::Number(text.chars().count() as i64));
            }
            Some(Datum::Elements { size, .. }) => {
                self.set(moment, path, Cell::Value(value));
                self.set(moment, &format!("size({path})"), Cell::Number(i64::from(*size)));
            }
            _ => self.set(moment, path, Cell::Value(value)),
        }
    }

    fn set(&mut self, moment: Moment, path: &str, cell: Cell) {
        let variable = Variable { moment, path: Arc::from(path) };
        let at = *self.by_variable.entry(variable).or_insert_with_key(|variable| {
            self.columns.push(Column { variable: variable.clone(), cells: Vec::new() });
            self.columns.len() - 1
        });
        let cells = &mut self.columns[at].cells;
        cells.resize(self.rows, Cell::Absent);
        cells.push(cell);
    }

    fn pad(&mut self) {
        self.columns.iter_mut().for_each(|column| column.cells.resize(self.rows, Cell::Absent));
        // Fields come before what observers say of them, and lead.
        let order = |column: &Column| {
            (column.variable.moment, column.variable.path.contains("()"), column.variable.path.clone())
        };
        self.columns.sort_by_cached_key(order);
        self.by_variable = self.columns.iter().enumerate().map(|(at, column)| (column.variable.clone(), at)).collect();
    }

    /// The value, where it has no state of its own.
    pub fn datum(&self, cell: Cell) -> Option<Datum> {
        match cell {
            Cell::Absent => None,
            Cell::Number(number) => Some(Datum::Integer(number)),
            Cell::Value(value) => self.observations.datum(value).cloned(),
        }
    }

    /// The state, where it is an object.
    pub fn state(&self, cell: Cell) -> Option<StateId> {
        match cell {
            Cell::Value(value) => self.observations.state_of(value).map(|(state, _)| state),
            _ => None,
        }
    }

    /// What the variable holds in the row.
    pub fn cell(&self, variable: &Variable, row: usize) -> Cell {
        self.by_variable.get(variable).map_or(Cell::Absent, |&at| self.columns[at].cells[row])
    }

    fn number(&self, variable: &Variable, row: usize) -> Option<i64> {
        match self.cell(variable, row) {
            Cell::Number(number) => Some(number),
            _ => None,
        }
    }

    /// The elements of an array or collection, where they are known and all of them numbers.
    pub fn numbers(&self, cell: Cell) -> Option<Vec<i64>> {
        let Cell::Value(value) = cell else { return None };
        let Some(Datum::Elements { all: Some(all), .. }) = self.observations.datum(value) else { return None };
        all.iter().map(|datum| if let Datum::Integer(number) = datum { Some(*number) } else { None }).collect()
    }

    /// Whether the axiom holds in the row; `None` if a variable is not there.
    pub fn holds(&self, axiom: &Axiom, row: usize) -> Option<bool> {
        match axiom {
            Axiom::Compare(left, relation, right) => self.compare(left, *relation, right, row),
            Axiom::OneOf(variable, values) => {
                let cell = self.cell(variable, row);
                (cell != Cell::Absent).then(|| self.datum(cell).is_some_and(|datum| values.contains(&datum)))
            }
            Axiom::Modulus(variable, modulus, remainder) => {
                Some(self.number(variable, row)?.rem_euclid(*modulus) == *remainder)
            }
            Axiom::Linear(terms, constant) => {
                let mut sum = -i128::from(*constant);
                for (factor, variable) in terms {
                    sum += i128::from(*factor) * i128::from(self.number(variable, row)?);
                }
                Some(sum == 0)
            }
            Axiom::Sorted(variable, relation) => {
                let numbers = self.numbers(self.cell(variable, row))?;
                Some(numbers.windows(2).all(|pair| relation.holds(pair[0].cmp(&pair[1]))))
            }
            Axiom::Each(variable, relation, bound) => {
                let Cell::Value(value) = self.cell(variable, row) else { return None };
                let Some(Datum::Elements { all: Some(all), .. }) = self.observations.datum(value) else { return None };
                Some(all.iter().all(|element| match (element, bound) {
                    (Datum::Integer(left), Datum::Integer(right)) => relation.holds(left.cmp(right)),
                    _ => (element == bound) == (*relation == Relation::Equal),
                }))
            }
            Axiom::Member(element, elements) => {
                let element = self.cell(element, row);
                let Cell::Value(value) = self.cell(elements, row) else { return None };
                let Some(Datum::Elements { all: Some(all), .. }) = self.observations.datum(value) else { return None };
                (element != Cell::Absent).then(|| self.datum(element).is_some_and(|datum| all.contains(&datum)))
            }
            Axiom::Throws(class) => Some(self.thrown[row] == Some(class)),
            Axiom::Implies(left, right) => match self.holds(left, row)? {
                false => Some(true),
                true => self.holds(right, row),
            },
            Axiom::Same(left, right) => Some(self.holds(left, row)? == self.holds(right, row)?),
        }
    }

    fn compare(&self, left: &AxiomTerm, relation: Relation, right: &AxiomTerm, row: usize) -> Option<bool> {
        let cell = |term: &AxiomTerm| match term {
            AxiomTerm::Variable(variable) => self.cell(variable, row),
            AxiomTerm::Constant(Datum::Integer(number)) => Cell::Number(*number),
            AxiomTerm::Constant(_) => Cell::Absent,
        };
        match (cell(left), cell(right), right) {
            (Cell::Absent, ..) => None,
            (Cell::Number(left), Cell::Number(right), _) => Some(relation.holds(left.cmp(&right))),
            (left, Cell::Absent, AxiomTerm::Constant(constant)) => {
                let datum = self.datum(left);
                if let (Some(Datum::Real(left)), Datum::Real(right)) = (&datum, constant) {
                    return Some(relation.holds(f64::from_bits(*left).total_cmp(&f64::from_bits(*right))));
                }
                Some((datum.as_ref() == Some(constant)) == (relation == Relation::Equal))
            }
            (_, Cell::Absent, _) => None,
            (left, right, _) => {
                let real = |cell| match self.datum(cell) {
                    Some(Datum::Real(bits)) => Some(f64::from_bits(bits)),
                    _ => None,
                };
                match (real(left), real(right)) {
                    (Some(left), Some(right)) => Some(relation.holds(left.total_cmp(&right))),
                    _ => Some((left == right) == (relation == Relation::Equal)),
                }
            }
        }
    }
}
