/** The form input for a person to invite. */
export interface PersonInput {
  readonly email: string
  readonly name: string
}

export const EMPTY_PERSON: PersonInput = { email: '', name: '' }

/** Builds the fields of a request body. A missing name becomes null. */
export function toPersonFields({ email, name }: PersonInput): { readonly email: string; readonly name: string | null } {
  return { email: email.trim(), name: name.trim() || null }
}
