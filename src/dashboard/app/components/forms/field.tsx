import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId } from 'preact/hooks';
import type { Failure } from '../../api/failure.js';
import { concerns } from './wrong-field.js';

interface Labelled {
  readonly label: string;
  readonly hint?: string | undefined;
}

interface FieldProps extends Labelled {
  readonly name: string;
  readonly type?: 'text' | 'password' | 'number';
  readonly required?: boolean;
  readonly autofocus?: boolean;
  readonly autocomplete?: 'off' | 'current-password';
  readonly placeholder?: string;
  readonly pattern?: string;
  /** What the pattern asks for: a browser adds it to its message. */
  readonly title?: string;
  readonly maxLength?: number;
  readonly min?: number;
  readonly max?: number;
  /** What is there at first. */
  readonly value?: string | number;
}

const hintId = (id: string) => `${id}-hint`;

/** Why the form was refused. */
export const Refusal = createContext<Failure | undefined>(undefined);

type FramedProps = Labelled & {
  readonly id: string;
  readonly name: string;
  readonly children: ComponentChildren;
};

/** What is filled in, between its label and a hint, or what is wrong with it. */
function Framed({ id, name, label, hint, children }: FramedProps) {
  const refusal = useContext(Refusal);
  const wrong = refusal !== undefined && concerns(refusal, name) ? refusal : undefined;
  return (
    <p class="field" data-wrong={wrong !== undefined}>
      <label for={id}>{label}</label>
      {children}
      {hint !== undefined && (
        <span class="hint" id={hintId(id)}>
          {hint}
        </span>
      )}
      {wrong !== undefined && (
        <span class="wrong" role="alert">
          {[wrong.message, wrong.remedy].filter(Boolean).join(' ')}{' '}
          {wrong.requestId !== undefined && <code class="id">{wrong.requestId}</code>}
        </span>
      )}
    </p>
  );
}

/** An input with its label and a hint. */
export function Field(props: FieldProps) {
  const { label, hint, value, type = 'text', autocomplete = 'off', ...input } = props;
  const id = useId();
  return (
    <Framed id={id} name={input.name} label={label} hint={hint}>
      <input
        {...input}
        // Each type has attributes of its own, which are not used here.
        type={type as 'text'}
        id={id}
        defaultValue={value}
        autocomplete={autocomplete}
        spellcheck={false}
        aria-describedby={hint && hintId(id)}
      />
    </Framed>
  );
}

/** A field without which the form is not sent: the text has to be typed. Letters, digits, _ and - only. */
export function Confirmation({ of: text }: { of: string }) {
  return <Field label={`Type ${text} to confirm`} name="confirmation" required pattern={text} />;
}

type ChoiceProps = Labelled & {
  readonly name: string;
  readonly value?: string;
  readonly options: readonly { readonly value: string; readonly text: string }[];
  readonly onChange?: (value: string) => void;
};

/** A choice of one of several. */
export function Choice({ label, hint, name, value, options, onChange }: ChoiceProps) {
  const id = useId();
  return (
    <Framed id={id} name={name} label={label} hint={hint}>
      <select
        id={id}
        name={name}
        {...(onChange === undefined ? {} : { value })}
        onChange={(event) => onChange?.(event.currentTarget.value)}
        aria-describedby={hint && hintId(id)}
      >
        {options.map((option) => (
          <option key={option.value} value={option.value} selected={option.value === value}>
            {option.text}
          </option>
        ))}
      </select>
    </Framed>
  );
}

interface AreaProps extends Labelled {
  readonly name: string;
  readonly rows?: number;
  readonly placeholder?: string;
  readonly value?: string;
}

/** A text of several lines. */
export function Area({ label, hint, value, rows = 2, ...area }: AreaProps) {
  const id = useId();
  return (
    <Framed id={id} name={area.name} label={label} hint={hint}>
      <textarea
        {...area}
        id={id}
        rows={rows}
        defaultValue={value}
        spellcheck={false}
        aria-describedby={hint && hintId(id)}
      />
    </Framed>
  );
}

/** A box to tick. */
export function Tick({
  name,
  checked = false,
  children,
}: {
  name: string;
  checked?: boolean;
  children: ComponentChildren;
}) {
  return (
    <label class="tick">
      <input type="checkbox" name={name} defaultChecked={checked} />
      <span>{children}</span>
    </label>
  );
}
