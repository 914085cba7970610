/** Says what is wrong with a password that somebody chooses, as the rest of a sentence about its field; null when nothing is. */
export type FindPasswordProblem = (password: string, email: string) => Promise<string | null>

/** Refuses the most used passwords, whatever their case, and the person's e-mail address. The list is loaded once it is needed. */
export function createPasswordProblems(): FindPasswordProblem {
  let loading: Promise<ReadonlySet<string>> | null = null
  return async (password, email) => {
    const chosen = password.trim().toLowerCase()
    if (chosen === email.trim().toLowerCase()) return 'must not be the e-mail address; choose another password'
    loading ??= loadMostUsed()
    return (await loading).has(chosen) ? 'must not be one of the most used passwords; choose another one' : null
  }
}

async function loadMostUsed(): Promise<ReadonlySet<string>> {
  const { dictionary } = await import('@zxcvbn-ts/language-common')
  return new Set(dictionary['passwords-common'].map((password) => String(password).toLowerCase()))
}
