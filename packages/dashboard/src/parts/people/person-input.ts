/** The form input for a person to invite. */
export interface PersonInput {
  readonly email: string
  readonly name: string
}

export const EMPTY_PERSON: PersonInput = { email: '', name: '' }

/** Converts the input to request fields. An empty name becomes null. */
export function toPersonFields({ email, name }: PersonInput): { readonly email: string; readonly name: string | null } {
  return { email: email.trim(), name: name.trim() || null }
}
