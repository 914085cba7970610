import { Page } from '../../components/page.tsx'

export function ChatAgentsScreen() {
  return <Page title="ChatAgentsScreen">…</Page>
}
