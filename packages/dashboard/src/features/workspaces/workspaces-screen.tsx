import { Page } from '../../components/page.tsx'

export function WorkspacesScreen() {
  return <Page title="WorkspacesScreen">…</Page>
}
