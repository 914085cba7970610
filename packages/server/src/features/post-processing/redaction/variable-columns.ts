import type { CallRow } from '../../../tables/call-tables.ts'
import type { Redactor } from './redactor.ts'

/** The variables of a conversation as its row holds them, as JSON: given, collected and set later. */
export type VariableColumns = Pick<CallRow, 'given_variables' | 'collected_variables' | 'override_variables'>

export const NO_VARIABLES: VariableColumns = {
  given_variables: '{}',
  collected_variables: '{}',
  override_variables: '{}',
}

/** The same, read: given, collected and set later. */
export function variablesOf({ given_variables, collected_variables, override_variables }: VariableColumns) {
  const read = (json: string) => JSON.parse(json) as Record<string, string>
  const overrides = JSON.parse(override_variables) as Record<string, string | null>
  return [read(given_variables), read(collected_variables), overrides] as const
}

/** The same without what is personal. */
export function redactVariables(columns: VariableColumns, redactor: Pick<Redactor, 'variables'>): VariableColumns {
  const [given, collected, override] = variablesOf(columns)
  return {
    given_variables: JSON.stringify(redactor.variables(given)),
    collected_variables: JSON.stringify(redactor.variables(collected)),
    override_variables: JSON.stringify(redactor.variables(override)),
  }
}
