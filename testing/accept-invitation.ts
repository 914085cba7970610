import type { ServerClient } from './running-server.ts'

const NO_TOKEN = { authorization: '', 'user-agent': 'Invited/1' }

/** Accepts an invitation like a new user: chooses a password, signs in and accepts. Returns the login. */
export async function acceptInvitationAs(
  server: Pick<ServerClient, 'url' | 'call'>,
  { inviteUrl }: { readonly inviteUrl: string },
  login: { readonly email: string; readonly password: string },
): Promise<Readonly<Record<'authorization' | 'cookie' | 'origin', string>>> {
  const token = inviteUrl.split('#token=')[1]
  const post = async (path: string, body: object, headers: Readonly<Record<string, string>>) => {
    const response = await server.call('POST', `/api/auth/${path}`, { body, headers })
    if (response.status >= 300) throw new Error(`${path} returned ${response.status}: ${JSON.stringify(response.body)}`)
    return response
  }
  await post('reset-password', { token, newPassword: login.password }, NO_TOKEN)
  const { headers } = await post('login', login, NO_TOKEN)
  const cookie = headers.get('set-cookie')?.split(';', 1)[0] ?? ''
  const browserHeaders = { authorization: '', cookie, origin: server.url }
  await post('accept-invitation', { token }, browserHeaders)
  return browserHeaders
}
