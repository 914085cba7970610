import type { Config } from '../config.ts'
import type { FirstOwner } from '../features/access/public.ts'

export interface Welcome {
  /** Listening address of this process. */
  readonly url: string
  /** Address for browsers and clients. */
  readonly publicUrl: string
  readonly owner: FirstOwner
  readonly chatId: string | null
  /** Bootstrap settings from the environment. Secrets from the environment are not printed. */
  readonly bootstrap: Config['bootstrap']
}

/** Builds the welcome text of the first start, with the login and a command that works in a new terminal. */
export function formatWelcome({ url, publicUrl, owner, chatId, bootstrap }: Welcome): string {
  const generatedCount = [bootstrap.password, bootstrap.token].filter((secret) => secret === undefined).length
  const storageNote = ['', '\n  (shown once; keep it)', '\n  (shown once; keep them)'][generatedCount]
  // A new terminal lacks the server's environment, so the command prompts for a token that is not printed.
  const [tokenPrompt, token] =
    bootstrap.token === undefined ? ['', owner.token] : [`printf 'API token: ' && read -r TOKEN && `, '$TOKEN']
  const buildCommand = (path: string) =>
    `${tokenPrompt}curl -s ${quoteUrl(publicUrl + path)} -H "Authorization: Bearer ${token}"`
  const sendCommand = `${buildCommand(`/api/chats/${chatId}/completions`)} \\
    -H 'Content-Type: application/json' -d '{"workspaceId": ${owner.workspaceId}, "content": "What do you charge for a flat tire?"}'`
  return `
Parley is ready at ${url}

Open ${publicUrl === url ? 'it' : publicUrl} in a browser and sign in:

  Owner      ${owner.email}
  Password   ${bootstrap.password === undefined ? owner.password : 'the value of BOOTSTRAP_PASSWORD'}
  API token  ${bootstrap.token === undefined ? owner.token : 'the value of BOOTSTRAP_TOKEN'}${storageNote}

Or try the API${tokenPrompt && ' (asks for the token)'}:

  ${chatId === null ? buildCommand('/api/workspaces') : sendCommand}

`
}

/** Quotes URLs that contain characters with a special meaning in a shell. */
function quoteUrl(url: string): string {
  return /^[\w.:/-]+$/.test(url) ? url : `'${url.replaceAll("'", '%27')}'`
}
