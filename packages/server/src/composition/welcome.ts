import type { Config } from '../config.ts'
import type { FirstOwner } from '../features/access/public.ts'

export interface Welcome {
  readonly url: string
  readonly owner: FirstOwner
  readonly chatId: string | null
  /** What the operator chose is not printed. */
  readonly given: Config['bootstrap']
}

/** Printed once, at the first start: everything that a person needs to go on, with a line that works. */
export function welcome({ url, owner, chatId, given }: Welcome): string {
  const token = given.token === undefined ? owner.token : '$BOOTSTRAP_TOKEN'
  const send = `curl -s ${url}/api/chats/${chatId}/completions -H "Authorization: Bearer ${token}" \\
    -H 'Content-Type: application/json' -d '{"workspaceId": ${owner.workspaceId}, "content": "What do you charge for a flat tyre?"}'`
  const list = `curl -s ${url}/api/workspaces -H "Authorization: Bearer ${token}"`
  return `
Parley is ready at ${url}

Open it in a browser and sign in:

  Owner      ${owner.email}
  Password   ${given.password === undefined ? owner.password : 'as configured'}
  API token  ${given.token === undefined ? owner.token : 'as configured'}
  (shown once; keep them)

Or try the API:

  ${chatId === null ? list : send}

`
}
