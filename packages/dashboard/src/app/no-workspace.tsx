import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Button } from '../components/button.tsx'
import { TextField } from '../components/fields.tsx'
import { Page, Panel } from '../components/page.tsx'
import { ProblemNote } from '../components/states.tsx'
import { useWrite } from '../lib/api/hooks.ts'
import { useText } from '../lib/language.ts'
import { canCall } from '../lib/session/rights.ts'
import { useSession } from '../lib/session/session.ts'
import { useSignOut } from './sign-out.ts'

/** Renders the page for users without access to a workspace. */
export function NoWorkspace() {
  const t = useText()
  const session = useSession()
  const queryClient = useQueryClient()
  const signOut = useSignOut()
  const navigate = useNavigate()
  const [name, setName] = useState('')
  const createWorkspace = useWrite('createWorkspace')

  async function submit(): Promise<void> {
    const { value } = await createWorkspace.mutateAsync({ body: { name } })
    await queryClient.invalidateQueries()
    await navigate({ to: '/$workspaceId', params: { workspaceId: value.id } })
  }

  return (
    <main>
      <Page title={t('No workspaces yet')} width="normal">
        {canCall(session, 'createWorkspace', null) ? (
          <Panel>
            <form
              className="flex flex-col gap-4"
              onSubmit={(event) => {
                event.preventDefault()
                void submit().catch(() => undefined)
              }}
            >
              <TextField
                label={t('Workspace name')}
                help={t('Agents, numbers and conversations belong to a workspace.')}
                value={name}
                onChange={setName}
              />
              {createWorkspace.error && <ProblemNote problem={createWorkspace.error} />}
              <Button kind="primary" type="submit" busy={createWorkspace.isPending} className="w-fit">
                {t('Create workspace')}
              </Button>
            </form>
          </Panel>
        ) : (
          <p className="text-muted">{t('Ask an administrator to add you to a workspace.')}</p>
        )}
        <div>
          <Button onClick={signOut}>{t('Sign out')}</Button>
        </div>
      </Page>
    </main>
  )
}
