// Joins VS Code with the program ptosim: its debugger (ptosim debug), its language server (ptosim lsp), checks as a task,
// and reports in a panel.
import * as fs from "fs";
import * as path from "path";
import { execFile } from "child_process";
import * as vscode from "vscode";
import { LanguageClient } from "vscode-languageclient/node";

let client: LanguageClient | undefined;

function setting(name: string): string {
  return vscode.workspace.getConfiguration("ptosim").get<string>(name, "");
}

/** The words of the line "// run: ..." of a kernel, which its checks and runs use. */
export function wordsOf(kernel: string): string[] {
  const mark = "// run:";
  const line = fs.readFileSync(kernel, "utf8").split("\n").find((text) => text.startsWith(mark));
  return line === undefined ? [] : line.slice(mark.length).split(/\s+/).filter((word) => word !== "");
}

class AdapterFactory implements vscode.DebugAdapterDescriptorFactory {
  createDebugAdapterDescriptor(session: vscode.DebugSession): vscode.DebugAdapterDescriptor {
    const { kernel, arguments: given, cwd, env } = session.configuration;
    const words: string[] = given ?? wordsOf(kernel);
    return new vscode.DebugAdapterExecutable(setting("program"), ["debug", kernel, ...words], {
      cwd: cwd ?? path.dirname(kernel),
      env,
    });
  }
}

class ConfigurationProvider implements vscode.DebugConfigurationProvider {
  resolveDebugConfiguration(
    _folder: vscode.WorkspaceFolder | undefined,
    configuration: vscode.DebugConfiguration,
  ): vscode.DebugConfiguration | undefined {
    if (configuration.type) return configuration;
    const file = vscode.window.activeTextEditor?.document.fileName; // F5 without launch.json
    if (file === undefined) return undefined;
    return { type: "ptosim", request: "launch", name: "Debug a kernel", kernel: file, stopOnEntry: true };
  }
}

function checkTask(kernel: string, words: string[]): vscode.Task {
  const definition = { type: "ptosim", kernel, arguments: words };
  const execution = new vscode.ProcessExecution(setting("program"), ["check", kernel, ...words], {
    cwd: path.dirname(kernel),
  });
  return new vscode.Task(definition, vscode.TaskScope.Workspace, `check ${path.basename(kernel)}`, "ptosim", execution, "$ptosim");
}

class TaskProvider implements vscode.TaskProvider {
  provideTasks(): vscode.Task[] {
    const file = vscode.window.activeTextEditor?.document.fileName;
    return file !== undefined && file.endsWith(".pto") ? [checkTask(file, wordsOf(file))] : [];
  }
  resolveTask(task: vscode.Task): vscode.Task {
    const { kernel, arguments: words } = task.definition;
    return checkTask(kernel, words ?? wordsOf(kernel));
  }
}

/** Records a run of a kernel and shows its page. */
async function openReport(kernel: string): Promise<void> {
  const folder = path.join(path.dirname(kernel), path.basename(kernel, path.extname(kernel)) + ".trace");
  await vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title: "ptosim run" }, () =>
    new Promise<void>((resolve) => {
      execFile(setting("program"), ["run", kernel, ...wordsOf(kernel), "--trace", folder], { cwd: path.dirname(kernel) }, (error, _out, messages) => {
        if (error) void vscode.window.showErrorMessage(messages || error.message);
        resolve();
      });
    }));
  const page = path.join(folder, "report.html");
  if (!fs.existsSync(page)) return;
  const panel = vscode.window.createWebviewPanel("ptosim.report", path.basename(kernel), vscode.ViewColumn.Beside, { enableScripts: true });
  panel.webview.html = fs.readFileSync(page, "utf8");
}

/** A name in angle brackets is text, not a tag. */
function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

/** Shows a tile or array of the debugged kernel as a picture. */
async function showPicture(expression: string): Promise<void> {
  const session = vscode.debug.activeDebugSession;
  if (session?.type !== "ptosim") return;
  const item = vscode.debug.activeStackItem;
  const frameId = item instanceof vscode.DebugStackFrame ? item.frameId : undefined;
  try {
    const answer = await session.customRequest("ptosim/picture", { expression, frameId });
    const panel = vscode.window.createWebviewPanel("ptosim.picture", expression, vscode.ViewColumn.Beside, {});
    panel.webview.html = `<h3>${escaped(expression)}: ${escaped(answer.type)}, ${answer.rows}x${answer.columns}</h3>
      <img style="image-rendering: pixelated; border: 1px solid gray; max-width: 95vw; max-height: 80vh" src="data:image/png;base64,${answer.data}">
      <p>Blue: the least value; red: the largest; black: not a number; green frames: not the golden's value.</p>`;
  } catch (error) {
    void vscode.window.showErrorMessage(error instanceof Error ? error.message : String(error));
  }
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const recording = setting("recording");
  const words = ["lsp", "--chip", setting("chip"), ...(recording ? ["--recording", recording] : [])];
  client = new LanguageClient("ptosim", "ptosim", { command: setting("program"), args: words }, {
    documentSelector: [{ scheme: "file", language: "pto" }],
  });
  const current = (file?: string) => file ?? vscode.window.activeTextEditor?.document.fileName;
  context.subscriptions.push(
    vscode.debug.registerDebugAdapterDescriptorFactory("ptosim", new AdapterFactory()),
    vscode.debug.registerDebugConfigurationProvider("ptosim", new ConfigurationProvider()),
    vscode.tasks.registerTaskProvider("ptosim", new TaskProvider()),
    vscode.commands.registerCommand("ptosim.debug", (file?: string) => {
      const kernel = current(file);
      if (kernel) void vscode.debug.startDebugging(undefined, { type: "ptosim", request: "launch", name: "Debug a kernel", kernel, stopOnEntry: true });
    }),
    vscode.commands.registerCommand("ptosim.check", (file?: string) => {
      const kernel = current(file);
      if (kernel) void vscode.tasks.executeTask(checkTask(kernel, wordsOf(kernel)));
    }),
    vscode.commands.registerCommand("ptosim.picture", async (from?: { variable?: { name: string; evaluateName?: string } }) => {
      const named = from?.variable?.evaluateName ?? from?.variable?.name;
      const expression = named ?? (await vscode.window.showInputBox({ prompt: "A tile or array, for example %t[0:64, 0:64]" }));
      if (expression) await showPicture(expression);
    }),
    vscode.commands.registerCommand("ptosim.report", (file?: string) => {
      const kernel = current(file);
      if (kernel) void openReport(kernel);
    }),
  );
  await client.start();
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}
