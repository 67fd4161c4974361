export type Variables = Readonly<Record<string, string | undefined>>;

/** A variable that is written wrongly, or is not set. */
export class VariableError extends Error {
  override readonly name = 'VariableError';
}

/**
 * Replaces `${NAME}`, `${NAME:-default}`, `${NAME:+other}` and `${NAME:?message}` as Compose does;
 * without the colon an empty value counts as set. `$$` becomes `$`; any other `$` stays, so that most
 * scripts can be written as they are.
 */
export function substitute(text: string, variables: Variables): string {
  let result = '';
  for (let rest = text; ; ) {
    const at = rest.search(/\$[${]/);
    if (at < 0) return result + rest;
    result += rest.slice(0, at);
    const isEscaped = rest[at + 1] === '$';
    const end = isEscaped ? at + 1 : closingBrace(rest, at + 2);
    result += isEscaped ? '$' : expand(rest.slice(at + 2, end), variables);
    rest = rest.slice(end + 1);
  }
}

/** Index of the brace that ends an expression; its default may contain others. */
function closingBrace(text: string, from: number): number {
  let depth = 1;
  for (let at = from; at < text.length; at += 1) {
    if (text.startsWith('${', at)) depth += 1;
    else if (text[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  throw new VariableError(`a "\${" has no closing "}"`);
}

function expand(expression: string, variables: Variables): string {
  const parts = /^([A-Za-z_]\w*)(?:(:?)([-+?])(.*))?$/s.exec(expression);
  const [, name, colon, operator, word = ''] = parts ?? [];
  if (name === undefined) {
    throw new VariableError(`\${${expression}} is not a variable; for the text itself write $\${`);
  }
  const value = Object.hasOwn(variables, name) ? variables[name] : undefined;
  const isSet = value !== undefined && (value !== '' || colon !== ':');
  if (operator === '+') return isSet ? substitute(word, variables) : '';
  if (isSet) return value;
  if (operator === '-') return substitute(word, variables);
  throw new VariableError(
    word === ''
      ? `the variable ${name} is not set; for a default write \${${name}:-DEFAULT}`
      : `the variable ${name} is not set: ${word}`,
  );
}
