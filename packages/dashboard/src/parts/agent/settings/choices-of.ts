import type { Choice } from '../../../components/fields.tsx'
import type { Text } from '../../../lib/language.ts'

/** Choices of a field out of what each is called, in the order of `words`. */
export function choicesOf<Value extends string>(words: Readonly<Record<Value, string>>, t: Text): Choice<Value>[] {
  return (Object.entries(words) as [Value, string][]).map(([value, label]) => ({ value, label: t(label) }))
}
