import { Page } from '../../components/page.tsx'

export function ChatScreen() {
  return <Page title="ChatScreen">…</Page>
}
